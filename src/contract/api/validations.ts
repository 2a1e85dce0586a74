import * as z from 'zod';
import { DATA_MODEL_KINDS } from './inspections.ts';
import { data, group, list, operation, string } from './kit/index.ts';
import { boolean, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** Maximum number of terminators in a request: the router is asked about all of them in one message. */
export const MAX_VALIDATED_TERMINATORS = 50;

const terminatorsOfRouter = z
  .object({
    terminators: list(shortText, MAX_VALIDATED_TERMINATORS).meta({
      description: 'Ids of terminators of the router. Others are left out of the answer.',
    }),
  })
  .meta({ id: 'TerminatorsOfRouter', description: 'The terminators that a router is asked about.' });

const reason = string.nullable().meta({ description: 'The reason why the router was not validated; null if it has answered.' });

const validatedTerminators = z
  .object({
    reason,
    /** The terminators that the router was asked about. */
    terminators: z.array(
      z
        .object({
          /** Id of the terminator. */
          id: string,
          state: z.enum(['valid', 'unknownBinding', 'unknownTerminator', 'badState', 'unknown']).meta({
            description: 'The terminator as its router knows it; `unknown` if the router has not answered for it.',
          }),
          detail: string.meta({ description: 'The words of the router on its state.' }),
          fixed: boolean.meta({ description: 'True if it was invalid, and has been deleted.' }),
        })
        .meta({ id: 'ValidatedTerminator', description: 'A terminator as its router knows it.' }),
    ),
  })
  .meta({ id: 'ValidatedTerminators', description: 'Terminators as their router knows them.' });

const validatedDataModel = z
  .object({
    reason,
    differences: z.array(string).meta({
      description:
        'The differences that the router finds, in words; at most 500. Only their number for callers who may not see all entities.',
    }),
  })
  .meta({ id: 'ValidatedDataModel', description: 'The data model of a router, compared with that of this controller.' });

const common = {
  acceptedPermissions: [],
  surfaces: [surfaces.extensions],
  standalone: 'it sends requests to a router',
} as const;

const terminators = {
  ...common,
  body: { schema: terminatorsOfRouter, name: 'terminators' },
  answer: data(validatedTerminators),
} as const;

const dataModel = { ...common, shows: DATA_MODEL_KINDS, answer: data(validatedDataModel) } as const;

/**
 * Validations have a connected router compare its state with that of the controller. Repairs are separate operations, because they require
 * rights to write.
 */
export const validations = group('validations', 'Validations of routers', {
  terminators: operation('POST', '/routers/{id}/validate-terminators', {
    operationId: 'validateTerminatorsOfRouter',
    summary: 'Have a router compare terminators with those that it has; limited to a minute',
    permission: 'terminator.read',
    ...terminators,
  }),
  repairTerminators: operation('POST', '/routers/{id}/repair-terminators', {
    operationId: 'repairTerminatorsOfRouter',
    summary: 'Have a router compare terminators with those that it has, and close invalid ones, which are deleted; limited to a minute',
    permission: 'terminator.delete',
    ...terminators,
  }),
  dataModel: operation('POST', '/routers/{id}/validate-data-model', {
    operationId: 'validateDataModelOfRouter',
    summary: 'Have a router compare its data model with that of this controller; limited to a minute',
    permission: 'router.read',
    ...dataModel,
  }),
  repairDataModel: operation('POST', '/routers/{id}/repair-data-model', {
    operationId: 'repairDataModelOfRouter',
    summary: 'Have a router compare its data model with that of this controller, and take the latter; limited to a minute',
    permission: 'router.update',
    ...dataModel,
  }),
});
