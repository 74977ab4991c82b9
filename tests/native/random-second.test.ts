import { randomModules } from "./support/random-suite.ts";

randomModules(1, 2);
