import * as z from 'zod';
import { crud, group, readOnly, required, resource, string } from './kit/index.ts';
import { operatingSystem } from './posture-checks/os-type.ts';
import { name } from './shared.ts';

/** The types of posture checks are fixed; the id is the `typeId` of checks. */
export const postureCheckType = resource({
  kind: 'postureCheckType',
  collection: 'posture-check-types',
  names: ['PostureCheckType', 'PostureCheckTypes'],
  about:
    'A posture check type is a condition that endpoints can be checked for, with the operating systems that support it. The types are fixed.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    /** Operating systems that the check supports. */
    operatingSystems: readOnly(z.array(operatingSystem).readonly(), { default: [] }),
    /** Schema version of the checks of this type. */
    version: readOnly(string, { keep: 'computed' }),
  },
});

export const postureCheckTypes = group(
  'postureCheckTypes',
  'Posture check types',
  crud(postureCheckType, { except: ['create', 'replace', 'patch', 'delete'], everySession: 'everywhere' }),
);
