import type { CheckType } from './check-type.ts';
import { domain } from './domain.ts';
import type { PostureCheck, PostureCheckOf } from './facts.ts';
import { mac } from './mac.ts';
import { mfa } from './mfa.ts';
import { os } from './os.ts';
import { process } from './process.ts';
import { processMulti } from './process-multi.ts';

type TypeId = PostureCheck['typeId'];

/** The one list of what the types of posture checks do. Nothing else names a type. */
const checkTypes: { readonly [T in TypeId]: CheckType<PostureCheckOf<T>> } = {
  OS: os,
  MAC: mac,
  MFA: mfa,
  PROCESS: process,
  PROCESS_MULTI: processMulti,
  DOMAIN: domain,
};

export const checkTypeOf = ({ typeId }: PostureCheck): CheckType<PostureCheck> => checkTypes[typeId] as CheckType<PostureCheck>; // is given only checks of its own type
