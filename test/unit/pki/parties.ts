import { authority, party } from '../../support/pki.ts';

export const root = await authority('root');
export const ann = await party('ann', {
  by: root,
  names: { uris: ['spiffe://a/b'], emails: ['ann@example.org'], dnsNames: ['ann'], ipAddresses: ['127.0.0.1'] },
});
