/** The conditions of permissions: posture checks that must pass, and an end. */
import type { RoleAttributeGrants } from '../../contract/api/grants-with-end.ts';
import { readSelectors } from '../../contract/api/kit/index.ts';
import type { Selectable, Side } from '../roles/membership.ts';

/** The parts of a policy that determine its conditions. */
export interface ConditionalPolicy {
  /** The side that selects identities. */
  readonly left: Side;
  /** The posture checks that must pass. Equal marks mean equal checks. */
  readonly checks: readonly { readonly mark: string }[];
  /** The end of the policy, as ISO text. */
  readonly validUntil: string | undefined;
}

type Subject = Selectable & { readonly roleAttributeGrants?: RoleAttributeGrants | null | undefined };

/** The conditions under which at least one of several policies permits. */
export interface Conditions {
  /** When the last policy ends, as ISO text; undefined if one of them has no end. */
  readonly validUntil: string | undefined;
  /** Equal for equal conditions. */
  readonly key: string;
}

/** The key of conditions that are always met. */
export const UNCONDITIONAL = '';

/** True for a policy without conditions of its own. The role attributes by which it selects an identity may still end. */
export const isUnconditional = (policy: Omit<ConditionalPolicy, 'left'> | undefined): boolean =>
  policy !== undefined && policy.checks.length === 0 && policy.validUntil === undefined;

/** @param subject the identity that the policies select */
export const conditionsOf = (policies: readonly ConditionalPolicy[], subject: Subject | undefined): Conditions => {
  const ends = policies.map((policy) => endOf(policy, subject));
  const terms = policies.map(({ checks }, at) => {
    const marks = checks.map(({ mark }) => mark).sort();
    return `${ends[at] ?? ''} ${marks.join(' ')}`;
  });
  return {
    validUntil: latestOf(ends),
    // A policy without conditions makes those of the other policies irrelevant.
    key: terms.includes(' ') ? UNCONDITIONAL : [...new Set(terms)].sort().join('\n'),
  };
};

/** When a policy stops permitting: at its own end, or when the role attributes by which it selects the identity end. */
export const endOf = (
  { left, validUntil }: Pick<ConditionalPolicy, 'left' | 'validUntil'>,
  subject: Subject | undefined,
): string | undefined => {
  const selectionEnd = subject && endOfSelection(left, subject);
  return earliestOf([validUntil, selectionEnd]);
};

/** The earliest of some ends; undefined if none of them is set. */
const earliestOf = (ends: readonly (string | undefined)[]): string | undefined => ends.filter((end) => end !== undefined).sort()[0];

/** The latest of some ends; undefined if one of them never comes. */
const latestOf = (ends: readonly (string | undefined)[]): string | undefined =>
  ends.includes(undefined) ? undefined : [...ends].sort().at(-1);

const endOfSelection = ({ semantic, roles }: Side, { id, roleAttributes, roleAttributeGrants }: Subject): string | undefined => {
  if (!roleAttributeGrants) return undefined;
  const { everything, hasId, attributes } = readSelectors(roles);
  if (everything || hasId(id)) return undefined;
  const ends = attributes.filter((each) => roleAttributes.includes(each)).map((each) => roleAttributeGrants[each]?.validUntil);
  return semantic === 'AllOf' ? earliestOf(ends) : latestOf(ends);
};
