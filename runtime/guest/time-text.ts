// Text of Duration and Time (03 8.4, 9.4).
import { textByte, textDigits, textPaddedDigits } from "./text-buffer";

const NANOSECONDS: i64 = 1000000000;
const SECONDS_A_DAY: i64 = 86400;

/** The count of nanoseconds and `ns`. */
export function text_duration(value: i64): void {
  if (value < 0) textByte(45);
  textDigits(value < 0 ? 0 - (value as u64) : (value as u64));
  textByte(110);
  textByte(115);
}

/** `YYYY-MM-DDTHH:MM:SS[.fraction]Z`. */
export function text_time(value: i64): void {
  let seconds = value / NANOSECONDS;
  let fraction = value % NANOSECONDS;
  if (fraction < 0) {
    fraction += NANOSECONDS;
    seconds--;
  }
  let days = seconds / SECONDS_A_DAY;
  let rest = seconds % SECONDS_A_DAY;
  if (rest < 0) {
    rest += SECONDS_A_DAY;
    days--;
  }
  writeDate(days);
  textByte(84);
  textPaddedDigits(rest / 3600, 2);
  textByte(58);
  textPaddedDigits((rest / 60) % 60, 2);
  textByte(58);
  textPaddedDigits(rest % 60, 2);
  if (fraction != 0) writeFraction(fraction);
  textByte(90);
}

/** The civil date of a day counted from 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms", civil_from_days). */
function writeDate(days: i64): void {
  const shifted = days + 719468;
  const era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const monthFromMarch = (5 * dayOfYear + 2) / 153;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  textPaddedDigits(yearOfEra + era * 400 + i64(month <= 2), 4);
  textByte(45);
  textPaddedDigits(month, 2);
  textByte(45);
  textPaddedDigits(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, 2);
}

function writeFraction(fraction: i64): void {
  let digits: usize = 9;
  while (fraction % 10 == 0) {
    fraction /= 10;
    digits--;
  }
  textByte(46);
  textPaddedDigits(fraction, digits);
}
