import * as z from 'zod';
import { fieldSymbols, symbolsOf } from '../../query/index.ts';
import { EMPTY, entityBase, entityReference, group, operation, readOperations, string } from './kit/index.ts';
import { surfaces } from './surfaces/index.ts';

/** The path of a circuit. */
const circuitPath = z
  .object({
    /** The routers along the path, starting with the client's. */
    nodes: z.array(entityReference),
    /** The links between these routers, in the same order. */
    links: z.array(entityReference),
  })
  .meta({ id: 'CircuitPath' });

/** A circuit: a connection of a client to a terminator, through the routers between them. */
const circuit = z
  .object({
    ...entityBase,
    /** Id of the identity that dialed. */
    clientId: string,
    /** The service that was dialed. */
    service: entityReference,
    /** The terminator that the client is connected to. */
    terminator: entityReference,
    /** The path from the client to the terminator. */
    path: circuitPath,
  })
  .meta({ id: 'Circuit' });

/** The symbols for filtering and sorting circuits. References are compared by id. */
export const circuitSymbols = symbolsOf('circuit', {
  ...fieldSymbols({ id: 'string', clientId: 'string', service: 'string', terminator: 'string', createdAt: 'date', updatedAt: 'date' }),
  'path.nodes': { is: 'set', set: 'nodes' },
  'path.links': { is: 'set', set: 'links' },
});

const fabric = { belongsTo: ['identity', 'service', 'router'], surfaces: [surfaces.fabric] } as const;

/** Circuits exist only in memory: each controller has those that it set up. */
export const circuits = group('circuits', 'Circuits', {
  ...readOperations(circuit, { collection: 'circuits', names: ['Circuit', 'Circuits'], permission: 'ops.read', ...fabric }),
  delete: operation('DELETE', '/circuits/{id}', {
    standalone: 'routers tear the circuit down immediately',
    operationId: 'deleteCircuit',
    summary: 'Tear down a circuit immediately, on all its routers',
    permission: 'ops.delete',
    answer: EMPTY,
    ...fabric,
  }),
});
