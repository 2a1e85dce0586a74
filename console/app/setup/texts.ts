/** Texts of the guided setups. */

const counted = (count: number): string => count.toLocaleString('en');

export const setupTexts = {
  title: 'Guided setup',
  hint: 'Each setup asks for what is needed, shows what it will change, and creates everything together.',
  steps: 'Steps',
  next: 'Next',
  back: 'Back',
  done: 'Done:',
  notYet: 'Not yet:',
  /** The link beside the form of a single entity. */
  guided: 'Step by step',
  guide: 'Read the guide',
  ways: {
    'publish-service': {
      title: 'Publish a service',
      hint: 'Make a web site, a database or another server reachable for chosen people and devices.',
    },
    'add-identity': {
      title: 'Add a person or device',
      hint: 'Create an identity, and hand over the token with which it joins the network.',
    },
    'add-router': { title: 'Add a router', hint: 'Create an edge router, start it, and see it come online.' },
    'connect-provider': { title: 'Connect an identity provider', hint: 'Let people sign in with the accounts that they already have.' },
    'trust-authority': {
      title: 'Trust a certificate authority',
      hint: 'Accept certificates that your own authority has issued, once you have proved that you hold its key.',
    },
  },
  /** Labels of fields, where the names of the API do not say enough to newcomers. */
  labels: {
    ports: 'Ports',
    protocols: 'Protocol',
    hostAddress: 'Address of the server',
    hostPort: 'Port of the server',
    edgeRouters: 'Edge routers',
    kind: 'Who is it?',
    authPolicyId: 'Auth policy: the ways in which it may sign in',
    isTunnelerEnabled: 'It also hosts and uses services itself (tunneler)',
    discovery: 'Discovery document',
    jwksEndpoint: 'Address of its keys (JWKS)',
    externalAuthUrl: 'Address at which people sign in',
    claimsProperty: 'Claim that names the person',
    useExternalId: 'The claim holds the external ID of an identity',
    enrollToTokenEnabled: 'Whoever has an accepted token becomes an identity',
    enrollNameClaimsSelector: 'Claim with the name of a new identity',
    certPem: 'Certificate of the authority',
    isAuthEnabled: 'Sign in with its certificates',
    isOttCaEnrollmentEnabled: 'Enroll with a one-time token and one of its certificates',
    isAutoCaEnrollmentEnabled: 'Enroll with one of its certificates alone',
    identityRoles: 'Role attributes of those who enroll without a token',
    proof: 'Certificate that proves it',
  } as Readonly<Record<string, string>>,
  /** Explanations of fields that only setups have. */
  fieldHints: {
    addresses:
      'Clients enter one of these to reach the service: host names, also with a wildcard such as *.example.com, or IP addresses. One per line.',
    ports: 'A port or a range such as 8000-8100.',
    protocols: 'Web sites and most other servers use TCP.',
    hostAddress: 'Where the server runs, as seen by whoever hosts the service: localhost, a name or an IP address.',
    hostPort: 'Leave it empty if the server listens on the ports that clients enter.',
    username: 'The name with which the person signs in. Empty: the name above.',
    discovery:
      'The controller reads it from the issuer, and fills in the addresses of the next step. If it cannot reach the issuer, paste the document here.',
    proof: 'Paste proof.pem, which the commands above create.',
  } as Readonly<Record<string, string>>,
  publish: {
    action: 'Publish',
    intercept: (name: string) => `${name} intercept`,
    host: (name: string) => `${name} host`,
    bind: (name: string) => `${name} bind`,
    dial: (name: string) => `${name} dial`,
    routers: (name: string) => `${name} routers`,
    noPorts: (line: string) => `“${line}” is neither a port from 1 to 65535 nor a range such as 8000-8100`,
    taken: (name: string) => `“${name}” exists already. Choose another name.`,
    notCreated: (kind: string, name: string, reason: string) => `The ${kind} “${name}” cannot be created: ${reason}`,
    nobody: { hostedBy: 'Choose who hosts the service', usedBy: 'Choose who uses the service' },
    samePort: 'The port that clients enter',
    noTypes: 'The config types intercept.v1 and host.v1 are missing',
    tunnelers: 'These edge routers can host it:',
    steps: {
      address: { title: 'Address', hint: 'Clients send what goes to this address and these ports into the network.' },
      host: {
        title: 'Server',
        hint: 'A program beside the server, or an edge router near it, hosts the service: it connects to the server.',
      },
      users: {
        title: 'Users',
        hint: 'Choose by role attribute, such as #staff, so that people who get the attribute later are included, or by name.',
      },
      routers: { title: 'Routers', hint: 'Traffic goes through edge routers, and policies say which of them may be used.' },
      review: { title: 'Review', hint: 'This is created together: everything, or nothing if a part is refused.' },
    },
    coverage: {
      noRouters: 'There is no edge router yet. The service can be used once one is online.',
      addRouter: 'Add a router',
      routers: (online: number, total: number) => `${counted(online)} of ${counted(total)} edge routers are online.`,
      covered: 'Existing policies give the hosts and users of the service edge routers, and let edge routers carry it.',
      without: (count: number) =>
        count === 1
          ? 'One entry of the hosts and users has no edge router yet.'
          : `${counted(count)} entries of the hosts and users have no edge router yet.`,
      uncarried: 'No policy lets edge routers carry every service.',
      missing: 'Choose edge routers, and the missing policies are created with the service. Without any, none is created.',
    },
    published: (name: string) => `${name} is published`,
    status: {
      created: 'The service and its policies exist',
      hosted: 'A host offers it',
      router: 'An edge router is online',
    },
    open: 'Open the service',
    access: 'See who can reach it',
    another: 'Publish another service',
  },
  identity: {
    action: 'Create',
    username: 'The username',
    kinds: { person: 'A person with a username and password', device: 'A person or device with a one-time token' },
    steps: {
      who: { title: 'Identity', hint: 'An identity is a person, a device or a program in the network.' },
      access: {
        title: 'Access',
        hint: 'Policies select identities by role attributes. Choose those that give this one the services that it needs.',
      },
    },
    created: (name: string) => `${name} was created`,
    status: { created: 'It exists', enrolled: 'It has enrolled', online: 'It is online' },
    open: 'Open the identity',
    another: 'Add another person or device',
  },
  router: {
    action: 'Create',
    steps: {
      router: { title: 'Router', hint: 'An edge router carries the traffic between clients and hosts. Give it the name of its machine.' },
    },
    created: (name: string) => `${name} was created`,
    status: { created: 'It exists', enrolled: 'It has enrolled', online: 'It is online' },
    open: 'Open the router',
    another: 'Add another router',
    enroll: 'Start the router',
    enrollHint: 'Save the token on the machine of the router, and run the lines below. The token can be used once.',
    address: 'Address of the router',
    addressHint: 'The name or IP address at which clients and other routers reach it. It completes the lines below.',
    platform: 'Where it runs',
    platforms: { linux: 'Linux', container: 'Container', kubernetes: 'Kubernetes' },
    lines: 'Lines to run',
  },
  provider: {
    action: 'Connect',
    steps: {
      provider: { title: 'Provider', hint: 'Anything that signs OpenID Connect tokens can be an identity provider.' },
      tokens: { title: 'Tokens', hint: 'Only tokens of this issuer, for this audience, and signed with one of its keys are accepted.' },
      people: { title: 'People', hint: 'A claim of the token says whose it is.' },
    },
    discoveryLink: 'Open the discovery document of this issuer in a new tab',
    noDiscovery: 'Discovery document is not the JSON of an OpenID provider',
    otherIssuer: (issuer: string) => `The discovery document is of another issuer: ${issuer}`,
    created: (name: string) => `${name} is connected`,
    status: { created: 'The signer exists and is enabled', policy: (name: string) => `The auth policy ${name} accepts its tokens` },
    policyTodo: 'Allow tokens of this signer in the auth policy of the identities.',
    open: 'Open the identity provider',
    policies: 'Open the auth policies',
  },
  authority: {
    action: 'Upload',
    steps: {
      certificate: { title: 'Certificate', hint: 'The certificate of the authority, not one that it has issued.' },
      uses: { title: 'Uses', hint: 'Choose what its certificates are accepted for. You can change this later.' },
    },
    created: (name: string) => `${name} was uploaded`,
    status: { created: 'The certificate is stored', verified: 'You have proved that you hold its key' },
    prove: 'Prove that you hold its key',
    proveHint:
      'Until then, it is not trusted. Issue a certificate whose common name is this verification token. Run these lines beside the certificate (ca.pem) and the key (ca.key) of the authority:',
    verify: 'Verify',
    open: 'Open the authority',
  },
  first: {
    title: 'First steps',
    dismiss: 'Hide the first steps',
    steps: {
      router: 'A router is online',
      identity: 'A person or device has enrolled',
      service: 'A service is published',
      policy: 'A policy lets somebody reach a service',
    },
  },
};
