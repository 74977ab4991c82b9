import { language } from "./support/language.ts";

language("wasm", false);
