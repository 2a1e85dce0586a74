/** @see catalog */
export type CatalogEntry = readonly [status: number, message: string, hint?: string];

/**
 * Every error that a caller can get, once: its stable code, the HTTP status, the message that clients know, and, where that leaves open
 * what to do, a hint: it becomes the cause of an error that has none. Codes are the field's own, as are most messages; a hint may be
 * reworded, a code never.
 */
export const catalog = {
  NOT_FOUND: [404, 'The resource requested was not found or is no longer available'],
  UNHANDLED: [500, 'An unhandled error occurred'],
  COULD_NOT_VALIDATE: [400, 'The supplied request contains an invalid document or no valid accept content were available, see cause'],
  COULD_NOT_PARSE_BODY: [400, 'The body of the request could not be parsed'],
  METHOD_NOT_ALLOWED: [405, 'The resource requested does not support this HTTP verb'],
  UNAUTHORIZED: [
    401,
    'The request could not be completed. The session is not authorized or the credentials are invalid',
    'the session is unknown, has expired or was ended: log in again',
  ],
  INVALID_FILTER: [400, 'The filter query supplied is invalid'],
  INVALID_SORT_IDENTIFIER: [400, 'The sort order supplied is invalid'],
  ENTITY_CAN_NOT_BE_DELETED: [400, 'The entity requested for delete can not be deleted'],
  ENTITY_CAN_NOT_BE_UPDATED: [400, 'The entity requested for update can not be updated'],
  CAN_NOT_DELETE_REFERENCED_ENTITY: [409, 'the entity cannot be deleted because it is referenced by another entity, see cause'],
  REFERENCED_ENTITY_NOT_FOUND: [400, 'REFERENCED_ENTITY_NOT_FOUND'],
  INVALID_AUTH: [
    401,
    'The authentication request failed',
    'the credentials are wrong, or this identity may not log in with them now: check them, or ask an administrator',
  ],
  CAN_NOT_UPDATE_AUTHENTICATOR: [409, 'The authenticator cannot be updated in this fashion'],
  CAN_NOT_UPDATE_ROUTER: [409, 'The router was not added via the Edge API and cannot be updated'],
  COULD_NOT_PARSE_PEM_BLOCK: [400, "The certificate's PEM block could not be parsed"],
  EXPECTED_PEM_CERTIFICATE: [400, "expected PEM block type 'CERTIFICATE'"],
  COULD_NOT_PARSE_DER_BLOCK: [400, "The certificate's DER block could not be parsed"],
  INVALID_COMMON_NAME: [
    400,
    'The common name of the supplied certificate is invalid',
    'the common name must be the verificationToken of the CA',
  ],
  CERTIFICATE_FAILED_VALIDATION: [400, "The supplied certificate failed to validate against the CA's certificate chain"],
  CA_ALREADY_VERIFIED: [409, 'CA has already been verified', 'there is nothing left to do: the CA is in use'],
  INVALID_CLIENT_CERT: [400, 'The provided client certificate is invalid'],
  INVALID_CERT_PEM: [400, 'the supplied certificate PEM is either invalid or contains the incorrect number of certificates'],
  MAX_AUTHENTICATOR_METHODS_REACHED: [
    409,
    'The identity already has the maximum authenticators of the specified method',
    'the identity has an authenticator of this method already: change it, or delete it first',
  ],
  MFA_EXISTS: [409, 'An MFA record already exists, try removing it', 'remove it by DELETE /current-identity/mfa before you enroll again'],
  MFA_NOT_ENROLLED: [409, 'The current identity is not enrolled in MFA', 'enroll first, by POST /current-identity/mfa'],
  MFA_INVALID_TOKEN: [
    400,
    'An invalid token/code was provided',
    'give the code that the authenticator app shows now: each is good for a short time, and once',
  ],
  INVALID_BACKING_TOKEN_TYPE: [400, 'The backing token type is invalid'],
  ENROLLMENT_EXISTS: [409, 'ENROLLMENT_EXISTS', 'an enrollment of this method is outstanding already: refresh it, or delete it first'],
  INVALID_ENROLLMENT_TOKEN: [
    400,
    'The supplied token is not valid',
    'it was used or replaced, or is that of another network: ask an administrator for a new one',
  ],
  INVALID_ENROLL_METHOD: [400, 'The supplied enrollment method is not valid'],
  ENROLLMENT_EXPIRED: [400, 'The window for this enrollment has expired', 'ask an administrator to refresh the enrollment'],
  COULD_NOT_PROCESS_CSR: [
    400,
    'The supplied csr could not be processed',
    'it must be a certificate request (PKCS#10) in PEM, signed with its own key',
  ],
  MISSING_OR_INVALID_CSR: [
    400,
    'The supplied enrollment request is missing or contains an invalid CSR',
    'certCsr and serverCertCsr must be certificate requests (PKCS#10) in PEM',
  ],
  ENROLLMENT_CA_NOT_VALID: [
    400,
    'The CA tied to the supplied token is no longer valid',
    'the CA must be verified, with isOttCaEnrollmentEnabled set',
  ],
  ENROLLMENT_NO_VALID_CAS: [400, 'No certificate authority is known, so nobody can enroll by a certificate of one'],
  CERT_FAILED_VALIDATION: [
    400,
    'certificate failed to validate against CA',
    'present a certificate of a CA that is verified, with isAutoCaEnrollmentEnabled set',
  ],
  MISSING_CERT_CLAIM: [400, 'The certificate holds no value where its CA says that the external id stands'],
  CERT_IN_USE: [
    409,
    'The certificate supplied is already associated with another identity',
    'use a certificate with another key, or delete the authenticator that has this one',
  ],
  UNSUPPORTED_MEDIA: [415, 'The media type of the request, or the one accepted for its answer, is not supported'],
  REQUEST_ENTITY_TOO_LARGE: [413, 'The request body exceeds the maximum accepted size'],
  INVALID_POSTURE: [409, 'Posture response data is missing or wrong'],
  NO_EDGE_ROUTERS_AVAILABLE: [
    400,
    'No edge routers are assigned and online to handle the requested connection',
    'an edge router policy of the identity and a service edge router policy of the service must name a router that is online',
  ],
  NOT_CONFIGURED: [409, 'The controller has not been set up for this operation, see cause'],
  PRECONDITION_FAILED: [
    412,
    'The entity has another version than the request expects',
    'it was changed meanwhile: read it again, and make the change on what it is now',
  ],
  CONFLICT: [409, 'The entity was changed by another request at the same time; read it again and retry'],
  SERVER_TOO_MANY_REQUESTS: [429, 'Too many requests to alter state have been issued. Please slow your request rate or try again later.'],
  RATE_LIMITED: [429, 'The requested operation is rate limited and the rate limit has been exceeded. Please try again later'],
  TIMEOUT: [503, 'The requested operation took too much time to reply'],
  SERVER_UNAVAILABLE: [503, 'The server cannot answer at the moment. Please try again later'],
} as const satisfies Record<string, CatalogEntry>;

/** The stable code of an error; `docs/errors.md` lists them with their statuses. */
export type ErrorCode = keyof typeof catalog;
