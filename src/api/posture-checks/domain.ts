import * as z from 'zod';
import { required } from '../kit/field.ts';
import { sortedSet } from '../kit/relations.ts';
import { variant } from '../kit/variants.ts';
import { text } from '../shared.ts';

/** The endpoint must have joined one of these Windows domains. Their case is kept and does not count. */
export const domain = variant('Domain', { domains: required(z.array(text).min(1).transform(sortedSet)) });
