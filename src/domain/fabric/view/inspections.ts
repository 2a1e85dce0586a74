import type { inspections } from '../../../api/inspections.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import { idPattern } from './id-pattern.ts';
import { ownValues } from './own-inspection.ts';

type Run = (typeof inspections)['operations']['run'];

/** Inspects the routers whose ids match a pattern and, for administrators, this controller if its id does. Nothing is stored. */
export const runInspection = async (call: Call, { body }: DecodedOf<Run>): Promise<OutputOf<Run>> => {
  const { traffic, controllerId } = call.core;
  const isSelected = idPattern('appRegex', body.appRegex);
  const own = !call.grant.isDelegated && isSelected(controllerId) ? await ownValues(call, body.requestedValues) : [];
  const answers = await traffic.inspect(body.requestedValues, isSelected);
  const errors = answers.flatMap(({ routerId, errors }) => errors.map((error) => `${routerId}: ${error}`));
  const values = answers.flatMap(({ routerId: appId, values }) =>
    values.map(({ name, value }) => ({ appId, name, value: jsonIn(value) ?? value })),
  );
  return { success: errors.length === 0, errors, values: [...own, ...values] };
};

/** Maximum depth of nested lists and maps. Deeper values could not be serialized. */
const MAX_DEPTH = 100;

/** Parses JSON; undefined if the text is not JSON, or empty. */
const jsonIn = (text: string): unknown => {
  if (isDeep(text)) return undefined;
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
};

const isDeep = (text: string): boolean => {
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === '\\') i++;
    else if (!isQuoted && (character === '[' || character === '{')) depth++;
    else if (!isQuoted && (character === ']' || character === '}')) depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
};
