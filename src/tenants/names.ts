/** As a label of a host name, or a segment of a path, without any other way to write it. */
const TENANT_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** True if a tenant may have this name. */
export const isTenantName = (name: unknown): name is string => typeof name === 'string' && TENANT_NAME.test(name);
