/** Routers that are connected, and what is shown of them. */
import assert from 'node:assert/strict';
import type { RouterConnection, RouterInterfaceReport } from '../../src/index.ts';
import type { App } from './app.ts';
import { aRouterCertificate, type RouterPath } from './routers.ts';

export const VERSION = { arch: 'amd64', buildDate: '2026-11-20', os: 'linux', revision: 'abc', version: 'v1.7.2' };
export const LISTENERS = [{ protocol: 'tls', hostname: 'r.example', port: 3022 }];
export const ETH0: RouterInterfaceReport = {
  name: 'eth0',
  hardwareAddress: '00:00:5e:00:53:01',
  mtu: 1500,
  index: 2,
  isUp: true,
  isRunning: true,
  isLoopback: false,
  isBroadcast: true,
  isMulticast: true,
  addresses: ['192.0.2.1/24'],
};

export const read = async (app: App, id: string, path: RouterPath | '/identities' = '/edge-routers') =>
  (await app.request('GET', `${path}/${id}`)).body.data;
export const shownOf = async (app: App, id: string) => {
  const { isOnline, hostname, supportedProtocols, syncStatus, versionInfo } = await read(app, id);
  return { isOnline, hostname, supportedProtocols, syncStatus, versionInfo };
};
export const OFFLINE = {
  isOnline: false,
  hostname: '',
  supportedProtocols: {},
  syncStatus: 'SYNC_UNKNOWN',
  versionInfo: { arch: '', buildDate: '', os: '', revision: '', version: '' },
};

/** A router that has enrolled and is connected. */
export const connected = async (app: App, fields: Readonly<Record<string, unknown>> = {}, path: RouterPath = '/edge-routers') => {
  const { id, certificates } = await aRouterCertificate(app, path, fields);
  return { id, certificates, connection: await app.controller.presence.connect({ certificates, versionInfo: VERSION }) };
};

export const reasonOf = ({ signal }: RouterConnection) => (signal.aborted ? signal.reason.message : undefined);
/** Whether an error is this refusal, by its field or its message where one is given. */
export const refusal = (code: string, about?: string) => (error: { code?: string; cause?: { field?: string; message?: string } }) => {
  assert.equal(error.code, code);
  if (about !== undefined) assert.equal(error.cause?.field ?? error.cause?.message, about);
  return true;
};
