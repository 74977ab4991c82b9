import { conformance } from "./support/conformance.ts";

conformance("wasm", false);
