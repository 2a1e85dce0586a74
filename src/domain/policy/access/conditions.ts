/** The conditions under which policies permit: posture checks that must pass, and a time at which it ends. */
import type { RoleAttributeGrants } from '../../../api/grants-with-end.ts';
import { readSelectors } from '../../../api/kit/index.ts';
import type { Selectable, Side } from '../roles/membership.ts';

/** A policy, as far as its conditions need it. */
export interface ConditionalPolicy {
  /** How it selects identities. */
  readonly left: Side;
  /** The posture checks that must pass, each with a text that tells it apart. */
  readonly checks: readonly { readonly mark: string }[];
  /** The end of the policy, as ISO text. */
  readonly validUntil: string | undefined;
}

type Subject = Selectable & { readonly roleAttributeGrants?: RoleAttributeGrants | null | undefined };

/** The conditions under which any of some policies permits. */
export interface Conditions {
  /** When the last of them ends, as ISO text; undefined if one has no end. */
  readonly validUntil: string | undefined;
  /** Equal for equal conditions. */
  readonly key: string;
}

/** The key of conditions that are always met. */
export const UNCONDITIONAL = '';

/** True for a policy that permits without conditions, unless those of the identity's role attributes end. */
export const isUnconditional = (policy: Omit<ConditionalPolicy, 'left'> | undefined): boolean =>
  policy !== undefined && policy.checks.length === 0 && policy.validUntil === undefined;

/** @param subject the identity that they select */
export const conditionsOf = (policies: readonly ConditionalPolicy[], subject: Subject | undefined): Conditions => {
  const ends = policies.map((policy) => endOf(policy, subject));
  const terms = policies.map(
    ({ checks }, at) =>
      `${ends[at] ?? ''} ${checks
        .map(({ mark }) => mark)
        .sort()
        .join(' ')}`,
  );
  return {
    validUntil: ends.includes(undefined) ? undefined : ends.reduce((a, b) => ((a ?? '') > (b ?? '') ? a : b), undefined),
    // A policy without conditions makes the others' irrelevant.
    key: terms.includes(' ') ? UNCONDITIONAL : [...new Set(terms)].sort().join('\n'),
  };
};

/** When a policy stops to permit: at its own end, or at that of the role attributes by which it selects the identity. */
export const endOf = (
  { left, validUntil }: Pick<ConditionalPolicy, 'left' | 'validUntil'>,
  subject: Subject | undefined,
): string | undefined => {
  const selected = subject && endOfSelection(left, subject);
  return [validUntil, selected].filter((end) => end !== undefined).sort()[0];
};

const endOfSelection = ({ semantic, roles }: Side, { id, roleAttributes, roleAttributeGrants }: Subject): string | undefined => {
  if (!roleAttributeGrants) return undefined;
  const { everything, hasId, attributes } = readSelectors(roles);
  if (everything || hasId(id)) return undefined;
  const ends = attributes.filter((each) => roleAttributes.includes(each)).map((each) => roleAttributeGrants[each]?.validUntil);
  if (semantic === 'AllOf') return ends.filter((end) => end !== undefined).sort()[0];
  return ends.includes(undefined) ? undefined : ends.sort().at(-1);
};
