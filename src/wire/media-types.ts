/** Media types that answers and bodies come in (RFC 6838). */
export const JSON_TYPE = 'application/json';
export const FORM_TYPE = 'application/x-www-form-urlencoded';
export const EVENTS_TYPE = 'text/event-stream';
