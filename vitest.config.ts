import { defineConfig } from "vitest/config";

export default defineConfig({
  define: { __HALE_VERSION__: JSON.stringify("0.0.0-test") },
  test: {
    include: ["tests/**/*.test.ts"],
    // Tests start real processes; a machine that is busy with others' work must not fail them.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: "forks",
    coverage: {
      provider: "v8",
      include: ["compiler/**/*.ts", "cli/**/*.ts", "runtime/node/**/*.ts"],
      reporter: ["text-summary", "html"],
      reportsDirectory: "coverage",
    },
  },
});
