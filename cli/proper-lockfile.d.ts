declare module "proper-lockfile" {
  /** Rejects when somebody else holds the lock and `retries` are used up; resolves to the release. */
  export function lock(
    file: string,
    options: { realpath: boolean; retries: number | { retries: number; minTimeout: number; maxTimeout: number } },
  ): Promise<() => Promise<void>>;
}
