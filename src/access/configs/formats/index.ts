import type { StepBudget } from '../limits.ts';
import { isEmail, isHostname, isIpv4, isIpv6 } from './addresses.ts';
import { isDate, isDateTime, isDuration, isTime } from './dates.ts';
import { isJsonPointer, isRelativeJsonPointer, isUri, isUriReference, isUriTemplate, isUuid } from './references.ts';

type Test = (text: string) => boolean;

/**
 * The formats that are checked; any other is only an annotation. `idn-hostname` is not checked, because the built-in config types use it
 * for host names, IP addresses, ranges (`10.0.0.0/8`), wildcards (`*.example`) and templates (`$dst_ip`) alike. Every check takes time
 * linear in the length of the text.
 */
const tests: Readonly<Record<string, Test>> = {
  date: isDate,
  time: isTime,
  'date-time': isDateTime,
  duration: isDuration,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  uuid: isUuid,
  uri: isUri,
  'uri-reference': isUriReference,
  'uri-template': isUriTemplate,
  'json-pointer': isJsonPointer,
  'relative-json-pointer': isRelativeJsonPointer,
};

export const CHECKED_FORMATS: ReadonlySet<string> = new Set(Object.keys(tests));

/** RFC 3986 sets no limit; 2,048 is the URL length that browsers and servers commonly accept, and the other formats are far shorter. */
const MAX_LENGTH = 2048;

/** The checked formats, by name. */
export const createFormats = (budget: StepBudget): Readonly<Record<string, Test>> =>
  Object.fromEntries(Object.entries(tests).map(([name, test]) => [name, bounded(test, budget)]));

const bounded =
  (test: Test, budget: StepBudget): Test =>
  (text) => {
    if (text.length > MAX_LENGTH) return false;
    budget.spend(8 + 4 * text.length);
    return test(text);
  };
