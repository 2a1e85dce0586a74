/**
 * Every error that a caller can get, once: its stable code, the HTTP status, and the message that clients show.
 * Codes are the field's own; a message may be reworded, a code never.
 */
export const catalog = {
  NOT_FOUND: [404, 'The resource requested was not found or is no longer available'],
  UNHANDLED: [500, 'An unhandled error occurred'],
  COULD_NOT_VALIDATE: [400, 'The supplied request contains an invalid document or no valid accept content were available, see cause'],
  COULD_NOT_PARSE_BODY: [400, 'The body of the request could not be parsed'],
  METHOD_NOT_ALLOWED: [405, 'The resource requested does not support this HTTP verb'],
  UNAUTHORIZED: [401, 'The request could not be completed. The session is not authorized or the credentials are invalid'],
  INVALID_FILTER: [400, 'The filter query supplied is invalid'],
  INVALID_SORT_IDENTIFIER: [400, 'The sort order supplied is invalid'],
  ENTITY_CAN_NOT_BE_DELETED: [400, 'The entity requested for delete can not be deleted'],
  ENTITY_CAN_NOT_BE_UPDATED: [400, 'The entity requested for update can not be updated'],
  CAN_NOT_DELETE_REFERENCED_ENTITY: [409, 'the entity cannot be deleted because it is referenced by another entity, see cause'],
  REFERENCED_ENTITY_NOT_FOUND: [400, 'REFERENCED_ENTITY_NOT_FOUND'],
  INVALID_AUTH: [401, 'The authentication request failed'],
  CAN_NOT_UPDATE_AUTHENTICATOR: [409, 'The authenticator cannot be updated in this fashion'],
  CAN_NOT_UPDATE_ROUTER: [409, 'The router was not added via the Edge API and cannot be updated'],
  COULD_NOT_PARSE_PEM_BLOCK: [400, "The certificate's PEM block could not be parsed"],
  MAX_AUTHENTICATOR_METHODS_REACHED: [409, 'The identity already has the maximum authenticators of the specified method'],
  ENROLLMENT_EXISTS: [409, 'ENROLLMENT_EXISTS'],
  INVALID_ENROLLMENT_TOKEN: [400, 'The supplied token is not valid'],
  INVALID_ENROLL_METHOD: [400, 'The supplied enrollment method is not valid'],
  ENROLLMENT_EXPIRED: [400, 'The window for this enrollment has expired'],
  COULD_NOT_PROCESS_CSR: [400, 'The supplied csr could not be processed'],
  UNSUPPORTED_MEDIA: [415, 'The media type of the request, or the one accepted for its answer, is not supported'],
  REQUEST_ENTITY_TOO_LARGE: [413, 'The request body exceeds the maximum accepted size'],
  NOT_CONFIGURED: [409, 'The controller has not been set up for this operation, see cause'],
  CONFLICT: [409, 'The entity was changed by another request at the same time; read it again and retry'],
  SERVER_TOO_MANY_REQUESTS: [429, 'Too many requests to alter state have been issued. Please slow your request rate or try again later.'],
  RATE_LIMITED: [429, 'The requested operation is rate limited and the rate limit has been exceeded. Please try again later'],
  TIMEOUT: [503, 'The requested operation took too much time to reply'],
  SERVER_UNAVAILABLE: [503, 'The server cannot answer at the moment. Please try again later'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof catalog;
