// The fences that docs/threads.md leaves out on the side that passes by often, with every store delayed in every way that x86 allows, and with mistakes that the explorer must find.
import { describe, expect, test } from "vitest";
import { explore, registration, strand } from "./store-buffer-model.ts";

describe("a strand's lock and sleep without fences at the sender (06 6.12.1)", () => {
  test.each([1, 2])("%d senders: every cell is taken", (senders) => {
    const { states, problem } = explore(strand(senders));
    expect(problem).toBeUndefined();
    expect(states).toBeGreaterThan(100);
  });

  test.each([
    "sleeps without a fence in all",
    "waits for the lock without a fence in all",
    "wakes for the lock before its word has changed",
    "sleeps at the lock itself",
  ] as const)("a mistake is found: %s", (mistake) =>
    expect(explore(strand(2, mistake)).problem).toBe("a thread waits for ever"),
  );
});

describe("no list of subscriptions changes while it is walked (06 6.8)", () => {
  test.each([1, 2, 3])("%d senders", (senders) => expect(explore(registration(senders)).problem).toBeUndefined());

  test("a mistake is found: changes without a fence in all", () =>
    expect(explore(registration(1, "changes without a fence in all")).problem).toBe("a list changes under a walk"));
});
