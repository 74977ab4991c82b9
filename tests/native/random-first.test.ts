import { randomModules } from "./support/random-suite.ts";

randomModules(0, 2);
