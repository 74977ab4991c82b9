/** The wish to end the run early: asked for once, programs may drain; asked for again, they are killed. */
export class Interruption {
  readonly #listeners = new Set<(force: boolean) => void>();
  #asked = false;
  #forced = false;

  /** Whether the run is to end. */
  get asked(): boolean {
    return this.#asked;
  }

  ask(): void {
    this.#forced = this.#asked;
    this.#asked = true;
    for (const listener of [...this.#listeners]) listener(this.#forced);
  }

  /** Calls `listener` at each request, and at once when there has been one. Returns the way to unsubscribe. */
  subscribe(listener: (force: boolean) => void): () => void {
    this.#listeners.add(listener);
    if (this.#asked) listener(this.#forced);
    return () => this.#listeners.delete(listener);
  }
}
