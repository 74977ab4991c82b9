// Primitives of std::metrics: series that several threads change.
import { lock, unlock } from "../lock";

/** Of all registries together: it is held for the change of one series. */
const changing: usize = memory.data(4, 4);

export function __metrics_lock(): void {
  lock(changing);
}

export function __metrics_unlock(): void {
  unlock(changing);
}
