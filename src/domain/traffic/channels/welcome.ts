import type { Core } from '../../../call/core.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import { capability, earlierHelloHeader, type Header, header, helloHeader } from '../../../control-channel/header-fields.ts';
import { utf8 } from '../../../control-channel/text.ts';
import { spokenVersion } from './versions.ts';

const CAPABILITIES = Object.values(capability);

/** The headers of the answer to the hello of a router. */
export const welcomeOf = (core: Pick<Core, 'platform' | 'settings' | 'controllerId'>, hello: Frame): readonly Header[] => [
  header.connectionId.of(core.platform.random.uuid()),
  header.version.of(spokenVersion(core)),
  header.id.of(core.controllerId),
  helloHeader.capabilities.of(CAPABILITIES),
  earlierHelloHeader.capabilities.of(CAPABILITIES),
  ...groupHeaders(core, hello),
];

/** A router of the line 2.x connects by groups of connections, of which there is one here. It wants its type back, and a secret, by which others would join. */
const groupHeaders = ({ platform }: Pick<Core, 'platform'>, hello: Frame): readonly Header[] => {
  if (!header.isGrouped.in(hello)) return [];
  return [
    header.isGrouped.of(true),
    header.underlayType.of(header.underlayType.in(hello) ?? ''),
    helloHeader.groupSecret.of(helloHeader.groupSecret.in(hello) ?? utf8(platform.random.uuid())),
  ];
};
