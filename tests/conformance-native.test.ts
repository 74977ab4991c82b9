import { conformance } from "./support/conformance.ts";

conformance("native", true);
