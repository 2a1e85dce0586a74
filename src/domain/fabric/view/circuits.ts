import { router } from '../../../api/routers.ts';
import { service } from '../../../api/services.ts';
import type { Entities } from '../../../entities/entities.ts';
import type { TrafficCircuit } from '../../../presence/traffic.ts';
import { rowsById } from '../../../resources/references.ts';
import { fabricEntity, fabricReference } from './references.ts';

/** A circuit as filters see it. */
export const circuitDocument = ({ id, createdAt, clientId, serviceId, terminatorId, path, links }: TrafficCircuit) => ({
  id,
  createdAt,
  updatedAt: createdAt,
  clientId,
  service: serviceId,
  terminator: terminatorId,
  nodes: path,
  links,
});

type CircuitDocument = ReturnType<typeof circuitDocument>;

/** Circuits with the names of what they consist of: two queries for all of them. Terminators and links have no names: their ids stand there. */
export const shownCircuits = async (entities: Entities, circuits: readonly CircuitDocument[]) => {
  const ids = circuits.flatMap(({ nodes }) => nodes);
  const routers = await rowsById(entities, router, ids);
  const services = await rowsById(
    entities,
    service,
    circuits.map((circuit) => circuit.service),
  );
  return circuits.map((circuit) => ({
    ...fabricEntity('circuits', { ...circuit, tags: {} }),
    clientId: circuit.clientId,
    service: fabricReference('services', circuit.service, services.get(circuit.service)?.name),
    terminator: fabricReference('terminators', circuit.terminator, circuit.terminator),
    path: {
      nodes: circuit.nodes.map((id) => fabricReference('routers', id, routers.get(id)?.name)),
      links: circuit.links.map((id) => fabricReference('links', id, id)),
    },
  }));
};
