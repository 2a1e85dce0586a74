import type * as z from 'zod';
import { publicExternalJwtSigner } from '../../src/contract/api/external-jwt-signers.ts';
import { kinds } from '../../src/contract/api/index.ts';
import type { Resource } from '../../src/contract/api/kit/resource.ts';
import { idOf, optionsOf } from './schemas.ts';

type BodyName = keyof Resource['schemas'];

/** The kind that a schema belongs to, and what the schema describes. */
export interface KindSchema {
  readonly kind: Resource;
  readonly body: BodyName;
  /** The name of the variant that the schema is for; undefined if it is not specific to a variant. */
  readonly variant: string | undefined;
}

const SUFFIXES: Readonly<Record<BodyName, string>> = { create: 'Create', replace: 'Update', patch: 'Patch', detail: 'Detail' };

/** The schemas of every kind and variant. */
export const schemasOfKinds = (): ReadonlyMap<z.core.$ZodType, KindSchema> =>
  new Map(
    [...Object.values(kinds), publicExternalJwtSigner].flatMap((each) => {
      const kind = each as Resource; // the fields do not matter here
      return Object.entries(kind.schemas).flatMap(([name, schema]) => {
        const body = name as BodyName; // the keys of the schemas
        const form = body === 'detail' ? 'output' : 'input';
        const variants = kind.variants ? optionsOf(schema, form) : [];
        return [
          [schema, { kind, body, variant: undefined }] as const,
          ...variants.map((option) => {
            const variant = idOf(option, form)?.slice(kind.names[0].length, -SUFFIXES[body].length);
            return [option, { kind, body, variant }] as const;
          }),
        ];
      });
    }),
  );
