import { readOnly, resource } from './kit/index.ts';
import { jsonMap } from './shared.ts';

/** A row that a release added to the network. Later releases update it, unless an administrator has changed or deleted it. */
export const builtInRow = resource({
  kind: 'builtInRow',
  collection: 'built-in-rows',
  names: ['BuiltInRow', 'BuiltInRows'],
  about:
    'A built-in row records an entity that a release added to the network, by kind and id, e.g. `configType/host.v2`. Later releases leave it alone if an administrator has changed or deleted it.',
  unrecorded: true,
  fields: {
    /** The fields as the release wrote them; empty for an existing row that was adopted as is. */
    fields: readOnly(jsonMap, { keep: 'hidden', default: {} }),
  },
});
