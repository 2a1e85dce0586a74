/** Dates and times (RFC 3339, sections 5.6 and 5.7; durations: appendix A). */

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

export const isDate = (text: string): boolean => {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= lengthOf(month, year);
};

/** Days of a month. */
const lengthOf = (month: number, year: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
};

/** The offset may omit its minutes or its colon. */
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d)(?::?(\d\d))?)$/i;

export const isTime = (text: string): boolean => {
  const found = TIME.exec(text);
  if (!found) return false;
  const [hour, minute, second, , offsetHour, offsetMinute] = found.slice(1).map((part = '0') => Number(part)) as Six;
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  // A leap second is always the last second of a UTC day.
  const offset = (found[4] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  return (hour * 60 + minute - offset + 2 * DAY) % DAY === DAY - 1;
};

type Six = [number, number, number, number, number, number];

/** Minutes in a day. */
const DAY = 24 * 60;

/** Date and time are separated by a T or a white-space character. */
export const isDateTime = (text: string): boolean =>
  isDate(text.slice(0, 10)) && /^[t\s]$/i.test(text.charAt(10)) && isTime(text.slice(11));

const DURATION = /^P(?=.)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;

export const isDuration = (text: string): boolean => DURATION.test(text);
