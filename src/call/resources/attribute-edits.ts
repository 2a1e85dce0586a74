import type { Group, Operations } from '../../contract/api/kit/operation.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import type { Row } from '../../store/storage/port.ts';
import type { Call } from '../call.ts';
import { discriminatorsOf } from './discriminators.ts';

interface Edit {
  readonly id: string;
  readonly body: { readonly roleAttributes: readonly string[] };
}

/**
 * The handlers that add and remove role attributes. They patch what the entity has at that moment, with the rights and rules of a patch.
 */
export const attributeEditHandlers = (group: Group<string, Operations>, kind: Kind) => {
  const edit =
    (change: (before: readonly string[], given: readonly string[]) => readonly string[]) =>
    async (call: Call, { id, body }: Edit) => {
      await call.write(async (entities) => {
        const row: Row = await entities.require(kind, id);
        const before = (row['roleAttributes'] ?? []) as readonly string[]; // a set of texts
        const roleAttributes = change(before, body.roleAttributes);
        const isChanged = roleAttributes.length !== before.length;
        // Without a change, an empty patch still checks that the caller may make it.
        const patch = { ...discriminatorsOf(kind, row), ...(isChanged ? { roleAttributes } : {}) };
        await call.invokeNested(entities, { operation: `${group.name}.patch`, input: { id, body: patch } });
      });
      return {};
    };
  return {
    addRoleAttributes: edit((before, given) => [...new Set([...before, ...given])]),
    removeRoleAttributes: edit((before, given) => before.filter((attribute) => !given.includes(attribute))),
  };
};
