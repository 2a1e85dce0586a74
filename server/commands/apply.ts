import { ApiError, type StatePlan } from '../../src/index.ts';
import type { OptionValues } from '../arguments.ts';
import { StartFailure, sentenceOf } from '../failure.ts';
import { defineCommand } from './command.ts';
import { documentOptions, givenDocument } from './plan.ts';
import { readPlan } from './state-file.ts';
import { ABOUT_SOURCE, source, withState } from './state-source.ts';

/** The exit status if the configuration has changed since the plan was made. */
const OUTDATED = 3;

const limits = {
  'max-lost': {
    value: 'NUMBER',
    about: 'refuse the change if it takes access away from more than this many pairs of an identity and a service',
  },
  reason: { value: 'TEXT', about: 'the reason for the change, which the audit records' },
} as const;

const callOptionsOf = (given: OptionValues<keyof typeof limits>) => {
  const [maxLost, reason] = [given.get('max-lost'), given.get('reason')];
  if (maxLost !== undefined && !/^\d{1,9}$/.test(maxLost))
    throw new StartFailure(`--max-lost must be a whole number from 0, got '${maxLost}'`);
  return { ...(maxLost === undefined ? {} : { maxLost: Number(maxLost) }), ...(reason === undefined ? {} : { reason }) };
};

const planned = ({ revision, operations }: StatePlan) => ({ revision, operations });

export const applyCommand = defineCommand({
  summary: 'apply a plan or a document to a network, in one transaction',
  options: { plan: { value: 'FILE', about: 'plan written by plan --out FILE' }, ...documentOptions, ...limits, ...source },
  notes: `Exit status: 0 if the network matches the plan or the document, 3 if its configuration has changed since the plan was made, 1 if the command failed. ${ABOUT_SOURCE}`,
  run: async (given, environment) => {
    const file = given.get('plan');
    if (file !== undefined && (['document', 'lines', 'owner', 'prune'] as const).some((name) => given.has(name)))
      throw new StartFailure('give either --plan FILE, or a document with --document FILE or --lines FILE, with or without --prune');
    const input = file === undefined ? await givenDocument(given) : { body: planned(await readPlan(file)) };
    const options = callOptionsOf(given);
    try {
      const { results, revision } = await withState(given, environment, (state) =>
        'lines' in input ? state.applyLines(input.lines, options) : state.apply(input, options),
      );
      return results.length === 0
        ? `no difference at revision ${revision}`
        : `applied ${results.length} operations: the network is now at revision ${revision}`;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'PRECONDITION_FAILED') return { text: sentenceOf(error), status: OUTDATED };
      throw error;
    }
  },
});
