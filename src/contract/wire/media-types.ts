/** Media types of request bodies and answers (RFC 6838). */
export const JSON_TYPE = 'application/json';
export const FORM_TYPE = 'application/x-www-form-urlencoded';
export const EVENTS_TYPE = 'text/event-stream';
/** One JSON value per line. */
export const LINES_TYPE = 'application/x-ndjson';
/** RFC 4180, in UTF-8. */
export const CSV_TYPE = 'text/csv';
export const HTML_TYPE = 'text/html';
export const TEXT_TYPE = 'text/plain';
