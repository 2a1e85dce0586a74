import type { Core } from '../../../call/core.ts';
import { dataModelMessages } from '../../../control-channel/messages/data-model.ts';
import type { ConnectedRouter } from '../routers/connected.ts';
import type { HandlerRow } from '../routers/handlers.ts';

const { subscribeToDataModel, dataState } = dataModelMessages;

/**
 * The keys by which routers check tokens of sessions and certificates of clients, as their data model. The rest of that model stays empty: with sessions that the
 * controller keeps, it decides itself what clients may dial and bind.
 */
export const keyHandlers = (core: Pick<Core, 'pki' | 'startedAt'>, { channel }: ConnectedRouter): readonly HandlerRow[] => [
  [
    subscribeToDataModel,
    async (frame) => {
      // Renewed subscriptions are answered, too: keys may have been renewed meanwhile.
      subscribeToDataModel.decode(frame.body);
      channel.send(dataState, { events: await keyEvents(core), endIndex: 1n, timelineId: core.startedAt });
    },
  ],
];

const keyEvents = async ({ pki }: Pick<Core, 'pki'>) => {
  const { certificate, kid } = await pki.networkKey();
  const { anchors, chain } = await pki.signer();
  const authorities = [...anchors, ...chain].filter(({ fingerprint }) => fingerprint !== kid);
  return [
    keyEvent(certificate.der, kid, ['jwtValidation', 'clientCertificateValidation']),
    ...authorities.map(({ der, fingerprint }) => keyEvent(der, fingerprint, ['clientCertificateValidation'])),
  ];
};

type KeyUsage = 'jwtValidation' | 'clientCertificateValidation';

const keyEvent = (data: Uint8Array, kid: string, usages: readonly KeyUsage[]) =>
  ({ action: 'create', isSynthetic: true, publicKey: { data, kid, usages, format: 'certificate' } }) as const;
