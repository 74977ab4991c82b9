// Messages that nobody receives, told on standard error when asked for (reference 06 6.8.4, 6.9).
import { expect, test } from "vitest";
import { build, run } from "./build.ts";

const DROPS = `
type Bye { n: Int; s: String; }
topic Byes { payload: Bye; subject: "house.bye"; keyed_by n; }
locus Ear {
    params { n: Int = 0; }
    bus { subscribe Byes as on_bye where key == self.n; subscribe "house.end" as on_end of type Bye; }
    fn on_bye(b: Bye) { println("ear ", self.n, " ", b.s); }
    fn on_end(b: Bye) { println("end ", b.s); }
}
locus Mouth {
    bus { publish Byes; publish "house.end" of type Bye; publish "yard.**" of type Bye; }
    fn say(n: Int) { Byes <- Bye { n: n, s: "said" }; }
    fn shout(where_to: String) { where_to <- Bye { n: 1, s: "shouted" }; }
    dissolve() { "house.end" <- Bye { n: 1, s: "late" }; }
}
fn main() {
    let mouth = Mouth { };
    let ear = Ear { n: 1 };
    mouth.say(1);
    mouth.say(2);
    mouth.shout("yard.gate");
}
`;

const DROP = "LOTUS_BUS_LOG_DROP";
const UNMATCHED = "LOTUS_BUS_LOG_UNMATCHED";
const key = "hale: a message on `house.bye` matched no subscription's key\n";
const drops =
  "hale: a message on `yard.gate` was dropped: nobody subscribes to it\n" +
  "hale: a message on `house.end` was dropped: nobody subscribes to it\n";

test.each(["native", "wasm"] as const)(
  "messages that nobody subscribes to, or whose key nobody has, are told when asked for (06 6.8.4, 06 6.9; %s)",
  async (target) => {
    const program = await build(DROPS, target);
    const stderrOf = async (env: Readonly<Record<string, string>>) => {
      const { status, stdout, stderr } = await run(program, target, { env });
      expect({ status, stdout }).toEqual({ status: 0, stdout: "ear 1 said\n" });
      return stderr;
    };
    expect(await stderrOf({})).toBe("");
    expect(await stderrOf({ [DROP]: "0", [UNMATCHED]: "" })).toBe("");
    expect(await stderrOf({ [DROP]: "1" })).toBe(drops);
    expect(await stderrOf({ [UNMATCHED]: "1" })).toBe(key);
    expect(await stderrOf({ [DROP]: "1", [UNMATCHED]: "1" })).toBe(key + drops);
  },
);
