import { language } from "./support/language.ts";

language("native", true);
