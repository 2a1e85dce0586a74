/** The JSON Schemas (draft-07) of built-in config types, as the controllers of the field publish them. */

export const publishedTypes = [
  {
    id: 'NH5p4FpGR',
    name: 'host.v1',
    schema: {
      $id: 'http://ziti-edge.netfoundry.io/schemas/host.v1.schema.json',
      additionalProperties: false,
      allOf: [
        {
          else: { required: ['protocol'] },
          if: { properties: { forwardProtocol: { const: true } }, required: ['forwardProtocol'] },
          then: { required: ['allowedProtocols'] },
        },
        {
          else: { required: ['address'] },
          if: { properties: { forwardAddress: { const: true } }, required: ['forwardAddress'] },
          then: { required: ['allowedAddresses'] },
        },
        {
          else: { required: ['port'] },
          if: { properties: { forwardPort: { const: true } }, required: ['forwardPort'] },
          then: { required: ['allowedPortRanges'] },
        },
      ],
      definitions: {
        action: {
          additionalProperties: false,
          properties: {
            action: { pattern: '(mark (un)?healthy|increase cost [0-9]+|decrease cost [0-9]+|send event)', type: 'string' },
            consecutiveEvents: { maximum: 65535, minimum: 0, type: 'integer' },
            duration: { $ref: '#/definitions/duration' },
            trigger: { enum: ['fail', 'pass', 'change'], type: 'string' },
          },
          required: ['trigger', 'action'],
          type: 'object',
        },
        actionList: { items: { $ref: '#/definitions/action' }, maxItems: 20, minItems: 1, type: 'array' },
        addressTranslation: { oneOf: [{ $ref: '#/definitions/ipv4AddressTranslation' }, { $ref: '#/definitions/ipv6AddressTranslation' }] },
        dialAddress: { format: 'idn-hostname', not: { pattern: '^$' }, type: 'string' },
        duration: { pattern: '[0-9]+(h|m|s|ms)', type: 'string' },
        httpCheck: {
          additionalProperties: false,
          properties: {
            actions: { $ref: '#/definitions/actionList' },
            body: { type: 'string' },
            expectInBody: { type: 'string' },
            expectStatus: { maximum: 599, minimum: 100, type: 'integer' },
            interval: { $ref: '#/definitions/duration' },
            method: { $ref: '#/definitions/method' },
            timeout: { $ref: '#/definitions/duration' },
            url: { type: 'string' },
          },
          required: ['interval', 'timeout', 'url'],
          type: 'object',
        },
        httpCheckList: { items: { $ref: '#/definitions/httpCheck' }, type: 'array' },
        inhabitedSet: { minItems: 1, type: 'array', uniqueItems: true },
        ipv4AddressTranslation: {
          additionalProperties: false,
          properties: {
            from: { format: 'ipv4', type: 'string' },
            prefixLength: { maximum: 32, minimum: 0, type: 'integer' },
            to: { format: 'ipv4', type: 'string' },
          },
          type: 'object',
        },
        ipv6AddressTranslation: {
          additionalProperties: false,
          properties: {
            from: { format: 'ipv6', type: 'string' },
            prefixLength: { maximum: 128, minimum: 0, type: 'integer' },
            to: { format: 'ipv6', type: 'string' },
          },
          type: 'object',
        },
        listenAddress: {
          description:
            'A host name, an IP address, a CIDR, or a domain with a leading wildcard such as *.example.com. Only the form of a host name is validated here: clients tell addresses and CIDRs from names when they read the value, and take what is neither for a name.',
          format: 'idn-hostname',
          not: { pattern: '^$' },
          type: 'string',
        },
        method: { enum: ['GET', 'POST', 'PUT', 'PATCH'], type: 'string' },
        portCheck: {
          additionalProperties: false,
          properties: {
            actions: { $ref: '#/definitions/actionList' },
            address: { type: 'string' },
            interval: { $ref: '#/definitions/duration' },
            timeout: { $ref: '#/definitions/duration' },
          },
          required: ['interval', 'timeout', 'address'],
          type: 'object',
        },
        portCheckList: { items: { $ref: '#/definitions/portCheck' }, type: 'array' },
        portNumber: { maximum: 65535, minimum: 0, type: 'integer' },
        portRange: {
          additionalProperties: false,
          properties: { high: { $ref: '#/definitions/portNumber' }, low: { $ref: '#/definitions/portNumber' } },
          required: ['low', 'high'],
          type: 'object',
        },
        protocolName: { enum: ['tcp', 'udp'], type: 'string' },
        proxyConfiguration: {
          properties: {
            address: { description: 'Where the proxy listens, as host:port.', type: 'string' },
            type: { $ref: '#/definitions/proxyType', description: 'Protocol of the proxy to connect through.' },
          },
          required: ['type', 'address'],
          type: 'object',
        },
        proxyType: { description: 'Protocol that the proxy speaks.', enum: ['http'], type: 'string' },
        timeoutSeconds: { maximum: 2147483647, minimum: 0, type: 'integer' },
      },
      properties: {
        address: {
          $ref: '#/definitions/dialAddress',
          description: 'Host name or IP address of the server to connect to. Required unless forwardAddress is set.',
        },
        allowedAddresses: {
          allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/listenAddress' } }],
          description: 'Addresses that may be forwarded.',
        },
        allowedPortRanges: {
          allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/portRange' } }],
          description: 'Ports that may be forwarded.',
        },
        allowedProtocols: {
          allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/protocolName' } }],
          description: 'Protocols that may be forwarded.',
        },
        allowedSourceAddresses: {
          allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/listenAddress' } }],
          description:
            "Source addresses that connections to the server may be made from. The hosting tunneler sets up local routes for them, so that a client's sourceIp can be used.",
        },
        forwardAddress: {
          description: 'Connect to the address that the client asked for. Requires allowedAddresses.',
          enum: [true],
          type: 'boolean',
        },
        forwardAddressTranslations: {
          allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/addressTranslation' } }],
          description: 'Networks to map forwarded addresses into: an address below from becomes the one at the same place below to.',
        },
        forwardPort: {
          description: 'Connect to the port that the client asked for. Requires allowedPortRanges.',
          enum: [true],
          type: 'boolean',
        },
        forwardProtocol: {
          description: 'Connect to the server with the protocol that the client used. Requires allowedProtocols.',
          enum: [true],
          type: 'boolean',
        },
        httpChecks: { $ref: '#/definitions/httpCheckList' },
        listenOptions: {
          additionalProperties: false,
          properties: {
            bindUsingEdgeIdentity: {
              description: 'Register the terminator under the name of the hosting identity. Takes the place of identity.',
              type: 'boolean',
            },
            connectTimeout: {
              $ref: '#/definitions/duration',
              description: 'Time to wait for a connection to the server, such as 5s or 500ms.',
            },
            connectTimeoutSeconds: {
              $ref: '#/definitions/timeoutSeconds',
              deprecated: true,
              description: 'Deprecated, use connectTimeout: seconds to wait for a connection to the server.',
            },
            cost: {
              description: 'Cost of the terminator, from 0 to 65535: the lowest is preferred. Default 0.',
              maximum: 65535,
              minimum: 0,
              type: 'integer',
            },
            identity: {
              description:
                'Name under which the terminator is registered, for clients that dial a particular host. $tunneler_id.name and $tunneler_id.tag[name] stand for the name and a tag of the hosting identity.',
              type: 'string',
            },
            maxConnections: {
              description: 'Connections to edge routers that the service is hosted over. Default 3.',
              minimum: 1,
              type: 'integer',
            },
            precedence: {
              description: "Precedence of the terminator: required before default before failed. Default 'default'.",
              enum: ['default', 'required', 'failed'],
              type: 'string',
            },
          },
          type: 'object',
        },
        port: { $ref: '#/definitions/portNumber', description: 'Port of the server to connect to. Required unless forwardPort is set.' },
        portChecks: { $ref: '#/definitions/portCheckList' },
        protocol: {
          $ref: '#/definitions/protocolName',
          description: 'Protocol to connect to the server with. Required unless forwardProtocol is set.',
        },
        proxy: { $ref: '#/definitions/proxyConfiguration', description: 'Proxy to make connections to the server through.' },
      },
      type: 'object',
    },
  },
  {
    id: 'host.v2',
    name: 'host.v2',
    schema: {
      $id: 'http://ziti-edge.netfoundry.io/schemas/host.v2.schema.json',
      additionalProperties: false,
      definitions: {
        action: {
          additionalProperties: false,
          properties: {
            action: { pattern: '(mark (un)?healthy|increase cost [0-9]+|decrease cost [0-9]+|send event)', type: 'string' },
            consecutiveEvents: { maximum: 65535, minimum: 0, type: 'integer' },
            duration: { $ref: '#/definitions/duration' },
            trigger: { enum: ['fail', 'pass', 'change'], type: 'string' },
          },
          required: ['trigger', 'action'],
          type: 'object',
        },
        actionList: { items: { $ref: '#/definitions/action' }, maxItems: 20, minItems: 1, type: 'array' },
        addressTranslation: { oneOf: [{ $ref: '#/definitions/ipv4AddressTranslation' }, { $ref: '#/definitions/ipv6AddressTranslation' }] },
        dialAddress: { format: 'idn-hostname', not: { pattern: '^$' }, type: 'string' },
        duration: { pattern: '[0-9]+(h|m|s|ms)', type: 'string' },
        httpCheck: {
          additionalProperties: false,
          properties: {
            actions: { $ref: '#/definitions/actionList' },
            body: { type: 'string' },
            expectInBody: { type: 'string' },
            expectStatus: { maximum: 599, minimum: 100, type: 'integer' },
            interval: { $ref: '#/definitions/duration' },
            method: { $ref: '#/definitions/method' },
            timeout: { $ref: '#/definitions/duration' },
            url: { type: 'string' },
          },
          required: ['interval', 'timeout', 'url'],
          type: 'object',
        },
        httpCheckList: { items: { $ref: '#/definitions/httpCheck' }, type: 'array' },
        inhabitedSet: { minItems: 1, type: 'array', uniqueItems: true },
        ipv4AddressTranslation: {
          additionalProperties: false,
          properties: {
            from: { format: 'ipv4', type: 'string' },
            prefixLength: { maximum: 32, minimum: 0, type: 'integer' },
            to: { format: 'ipv4', type: 'string' },
          },
          type: 'object',
        },
        ipv6AddressTranslation: {
          additionalProperties: false,
          properties: {
            from: { format: 'ipv6', type: 'string' },
            prefixLength: { maximum: 128, minimum: 0, type: 'integer' },
            to: { format: 'ipv6', type: 'string' },
          },
          type: 'object',
        },
        listenAddress: {
          description:
            'A host name, an IP address, a CIDR, or a domain with a leading wildcard such as *.example.com. Only the form of a host name is validated here: clients tell addresses and CIDRs from names when they read the value, and take what is neither for a name.',
          format: 'idn-hostname',
          not: { pattern: '^$' },
          type: 'string',
        },
        method: { enum: ['GET', 'POST', 'PUT', 'PATCH'], type: 'string' },
        portCheck: {
          additionalProperties: false,
          properties: {
            actions: { $ref: '#/definitions/actionList' },
            address: { type: 'string' },
            interval: { $ref: '#/definitions/duration' },
            timeout: { $ref: '#/definitions/duration' },
          },
          required: ['interval', 'timeout', 'address'],
          type: 'object',
        },
        portCheckList: { items: { $ref: '#/definitions/portCheck' }, type: 'array' },
        portNumber: { maximum: 65535, minimum: 0, type: 'integer' },
        portRange: {
          additionalProperties: false,
          properties: { high: { $ref: '#/definitions/portNumber' }, low: { $ref: '#/definitions/portNumber' } },
          required: ['low', 'high'],
          type: 'object',
        },
        protocolName: { enum: ['tcp', 'udp'], type: 'string' },
        proxyConfiguration: {
          properties: {
            address: { description: 'Where the proxy listens, as host:port.', type: 'string' },
            type: { $ref: '#/definitions/proxyType', description: 'Protocol of the proxy to connect through.' },
          },
          required: ['type', 'address'],
          type: 'object',
        },
        proxyType: { description: 'Protocol that the proxy speaks.', enum: ['http'], type: 'string' },
        terminator: {
          additionalProperties: false,
          allOf: [
            {
              else: { required: ['protocol'] },
              if: { properties: { forwardProtocol: { const: true } }, required: ['forwardProtocol'] },
              then: { required: ['allowedProtocols'] },
            },
            {
              else: { required: ['address'] },
              if: { properties: { forwardAddress: { const: true } }, required: ['forwardAddress'] },
              then: { required: ['allowedAddresses'] },
            },
            {
              else: { required: ['port'] },
              if: { properties: { forwardPort: { const: true } }, required: ['forwardPort'] },
              then: { required: ['allowedPortRanges'] },
            },
          ],
          properties: {
            address: {
              $ref: '#/definitions/dialAddress',
              description: 'Host name or IP address of the server to connect to. Required unless forwardAddress is set.',
            },
            allowedAddresses: {
              allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/listenAddress' } }],
              description: 'Addresses that may be forwarded.',
            },
            allowedPortRanges: {
              allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/portRange' } }],
              description: 'Ports that may be forwarded.',
            },
            allowedProtocols: {
              allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/protocolName' } }],
              description: 'Protocols that may be forwarded.',
            },
            allowedSourceAddresses: {
              allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/listenAddress' } }],
              description:
                "Source addresses that connections to the server may be made from. The hosting tunneler sets up local routes for them, so that a client's sourceIp can be used.",
            },
            forwardAddress: {
              description: 'Connect to the address that the client asked for. Requires allowedAddresses.',
              enum: [true],
              type: 'boolean',
            },
            forwardAddressTranslations: {
              allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/addressTranslation' } }],
              description: 'Networks to map forwarded addresses into: an address below from becomes the one at the same place below to.',
            },
            forwardPort: {
              description: 'Connect to the port that the client asked for. Requires allowedPortRanges.',
              enum: [true],
              type: 'boolean',
            },
            forwardProtocol: {
              description: 'Connect to the server with the protocol that the client used. Requires allowedProtocols.',
              enum: [true],
              type: 'boolean',
            },
            httpChecks: { $ref: '#/definitions/httpCheckList' },
            listenOptions: {
              additionalProperties: false,
              properties: {
                bindUsingEdgeIdentity: {
                  description: 'Register the terminator under the name of the hosting identity. Takes the place of identity.',
                  type: 'boolean',
                },
                connectTimeout: {
                  $ref: '#/definitions/duration',
                  description: 'Time to wait for a connection to the server, such as 5s or 500ms.',
                },
                connectTimeoutSeconds: {
                  $ref: '#/definitions/timeoutSeconds',
                  deprecated: true,
                  description: 'Deprecated, use connectTimeout: seconds to wait for a connection to the server.',
                },
                cost: {
                  description: 'Cost of the terminator, from 0 to 65535: the lowest is preferred. Default 0.',
                  maximum: 65535,
                  minimum: 0,
                  type: 'integer',
                },
                identity: {
                  description:
                    'Name under which the terminator is registered, for clients that dial a particular host. $tunneler_id.name and $tunneler_id.tag[name] stand for the name and a tag of the hosting identity.',
                  type: 'string',
                },
                maxConnections: {
                  description: 'Connections to edge routers that the service is hosted over. Default 3.',
                  minimum: 1,
                  type: 'integer',
                },
                precedence: {
                  description: "Precedence of the terminator: required before default before failed. Default 'default'.",
                  enum: ['default', 'required', 'failed'],
                  type: 'string',
                },
              },
              type: 'object',
            },
            port: {
              $ref: '#/definitions/portNumber',
              description: 'Port of the server to connect to. Required unless forwardPort is set.',
            },
            portChecks: { $ref: '#/definitions/portCheckList' },
            protocol: {
              $ref: '#/definitions/protocolName',
              description: 'Protocol to connect to the server with. Required unless forwardProtocol is set.',
            },
            proxy: { $ref: '#/definitions/proxyConfiguration', description: 'Proxy to make connections to the server through.' },
          },
          type: 'object',
        },
        terminatorList: { items: { $ref: '#/definitions/terminator' }, minItems: 1, type: 'array' },
        timeoutSeconds: { maximum: 2147483647, minimum: 0, type: 'integer' },
      },
      properties: { terminators: { $ref: '#/definitions/terminatorList' } },
      required: ['terminators'],
      type: 'object',
    },
  },
  {
    id: 'interfaces.v1',
    name: 'interfaces.v1',
    schema: {
      $id: 'https://netfoundry.io/schemas/interfaces.v1.config.json',
      additionalProperties: false,
      definitions: {
        action: {
          additionalProperties: false,
          properties: {
            action: { pattern: '(mark (un)?healthy|increase cost [0-9]+|decrease cost [0-9]+|send event)', type: 'string' },
            consecutiveEvents: { maximum: 65535, minimum: 0, type: 'integer' },
            duration: { $ref: '#/definitions/duration' },
            trigger: { enum: ['fail', 'pass', 'change'], type: 'string' },
          },
          required: ['trigger', 'action'],
          type: 'object',
        },
        actionList: { items: { $ref: '#/definitions/action' }, maxItems: 20, minItems: 1, type: 'array' },
        duration: { pattern: '[0-9]+(h|m|s|ms)', type: 'string' },
        httpCheck: {
          additionalProperties: false,
          properties: {
            actions: { $ref: '#/definitions/actionList' },
            body: { type: 'string' },
            expectInBody: { type: 'string' },
            expectStatus: { maximum: 599, minimum: 100, type: 'integer' },
            interval: { $ref: '#/definitions/duration' },
            method: { $ref: '#/definitions/method' },
            timeout: { $ref: '#/definitions/duration' },
            url: { type: 'string' },
          },
          required: ['interval', 'timeout', 'url'],
          type: 'object',
        },
        httpCheckList: { items: { $ref: '#/definitions/httpCheck' }, type: 'array' },
        method: { enum: ['GET', 'POST', 'PUT', 'PATCH'], type: 'string' },
        portCheck: {
          additionalProperties: false,
          properties: {
            actions: { $ref: '#/definitions/actionList' },
            address: { type: 'string' },
            interval: { $ref: '#/definitions/duration' },
            timeout: { $ref: '#/definitions/duration' },
          },
          required: ['interval', 'timeout', 'address'],
          type: 'object',
        },
        portCheckList: { items: { $ref: '#/definitions/portCheck' }, type: 'array' },
      },
      properties: { interfaces: { items: { type: 'string' }, type: 'array' } },
      required: ['interfaces'],
      type: 'object',
    },
  },
  {
    id: 'g7cIWbcGg',
    name: 'intercept.v1',
    schema: {
      $id: 'http://edge.openziti.org/schemas/intercept.v1.config.json',
      additionalProperties: false,
      definitions: {
        addressTranslation: { oneOf: [{ $ref: '#/definitions/ipv4AddressTranslation' }, { $ref: '#/definitions/ipv6AddressTranslation' }] },
        dialAddress: { format: 'idn-hostname', not: { pattern: '^$' }, type: 'string' },
        inhabitedSet: { minItems: 1, type: 'array', uniqueItems: true },
        ipv4AddressTranslation: {
          additionalProperties: false,
          properties: {
            from: { format: 'ipv4', type: 'string' },
            prefixLength: { maximum: 32, minimum: 0, type: 'integer' },
            to: { format: 'ipv4', type: 'string' },
          },
          type: 'object',
        },
        ipv6AddressTranslation: {
          additionalProperties: false,
          properties: {
            from: { format: 'ipv6', type: 'string' },
            prefixLength: { maximum: 128, minimum: 0, type: 'integer' },
            to: { format: 'ipv6', type: 'string' },
          },
          type: 'object',
        },
        listenAddress: {
          description:
            'A host name, an IP address, a CIDR, or a domain with a leading wildcard such as *.example.com. Only the form of a host name is validated here: clients tell addresses and CIDRs from names when they read the value, and take what is neither for a name.',
          format: 'idn-hostname',
          not: { pattern: '^$' },
          type: 'string',
        },
        portNumber: { maximum: 65535, minimum: 0, type: 'integer' },
        portRange: {
          additionalProperties: false,
          properties: { high: { $ref: '#/definitions/portNumber' }, low: { $ref: '#/definitions/portNumber' } },
          required: ['low', 'high'],
          type: 'object',
        },
        protocolName: { enum: ['tcp', 'udp'], type: 'string' },
        proxyConfiguration: {
          properties: {
            address: { description: 'Where the proxy listens, as host:port.', type: 'string' },
            type: { $ref: '#/definitions/proxyType', description: 'Protocol of the proxy to connect through.' },
          },
          required: ['type', 'address'],
          type: 'object',
        },
        proxyType: { description: 'Protocol that the proxy speaks.', enum: ['http'], type: 'string' },
        timeoutSeconds: { maximum: 2147483647, minimum: 0, type: 'integer' },
      },
      properties: {
        addresses: { allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/listenAddress' } }] },
        allowedSourceAddresses: {
          allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/listenAddress' } }],
          description: 'Addresses and CIDRs whose connections are intercepted. Default: all.',
        },
        dialOptions: {
          additionalProperties: false,
          properties: {
            connectTimeoutSeconds: {
              $ref: '#/definitions/timeoutSeconds',
              description: 'Seconds to wait for the connection. Default 15, or 5 without dialOptions.',
            },
            identity: {
              description: 'Name of the terminator to dial. $dst_protocol, $dst_ip and $dst_port stand for what the connection asked for.',
              type: 'string',
            },
          },
          type: 'object',
        },
        portRanges: { allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/portRange' } }] },
        protocols: { allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: '#/definitions/protocolName' } }] },
        sourceIp: {
          description:
            'Source address, with an optional :port, of connections that the hosting tunneler makes. $tunneler_id.name and $tunneler_id.tag[name] stand for the name and a tag of the client identity, $src_ip and $src_port for the source of the intercepted connection, $dst_port for the port that it asked for.',
          type: 'string',
        },
      },
      required: ['protocols', 'addresses', 'portRanges'],
      type: 'object',
    },
  },
  {
    id: 'proxy.v1',
    name: 'proxy.v1',
    schema: {
      $id: 'https://netfoundry.io/schemas/proxy.v1.config.json',
      additionalProperties: false,
      definitions: { protocol: { description: 'Network protocol.', enum: ['tcp', 'udp'], type: 'string' } },
      properties: {
        binding: { type: 'string' },
        port: { description: 'Port to listen on.', maximum: 65535, minimum: 1, type: 'number' },
        protocols: { items: { $ref: '#/definitions/protocol' }, minItems: 1, type: 'array' },
      },
      required: ['port', 'protocols'],
      type: 'object',
    },
  },
  {
    id: 'f2dd2df0-9c04-4b84-a91e-71437ac229f1',
    name: 'ziti-tunneler-client.v1',
    schema: {
      $id: 'http://edge.openziti.org/schemas/ziti-tunneler-client.v1.config.json',
      additionalProperties: false,
      properties: { hostname: { type: 'string' }, port: { maximum: 65535, minimum: 0, type: 'integer' } },
      required: ['hostname', 'port'],
      type: 'object',
    },
  },
  {
    id: 'cea49285-6c07-42cf-9f52-09a9b115c783',
    name: 'ziti-tunneler-server.v1',
    schema: {
      $id: 'http://edge.openziti.org/schemas/ziti-tunneler-server.v1.config.json',
      additionalProperties: false,
      definitions: {
        action: {
          additionalProperties: false,
          properties: {
            action: { pattern: '(mark (un)?healthy|increase cost [0-9]+|decrease cost [0-9]+|send event)', type: 'string' },
            consecutiveEvents: { maximum: 65535, minimum: 0, type: 'integer' },
            duration: { $ref: '#/definitions/duration' },
            trigger: { enum: ['fail', 'pass', 'change'], type: 'string' },
          },
          required: ['trigger', 'action'],
          type: 'object',
        },
        actionList: { items: { $ref: '#/definitions/action' }, maxItems: 20, minItems: 1, type: 'array' },
        duration: { pattern: '[0-9]+(h|m|s|ms)', type: 'string' },
        httpCheck: {
          additionalProperties: false,
          properties: {
            actions: { $ref: '#/definitions/actionList' },
            body: { type: 'string' },
            expectInBody: { type: 'string' },
            expectStatus: { maximum: 599, minimum: 100, type: 'integer' },
            interval: { $ref: '#/definitions/duration' },
            method: { $ref: '#/definitions/method' },
            timeout: { $ref: '#/definitions/duration' },
            url: { type: 'string' },
          },
          required: ['interval', 'timeout', 'url'],
          type: 'object',
        },
        httpCheckList: { items: { $ref: '#/definitions/httpCheck' }, type: 'array' },
        method: { enum: ['GET', 'POST', 'PUT', 'PATCH'], type: 'string' },
        portCheck: {
          additionalProperties: false,
          properties: {
            actions: { $ref: '#/definitions/actionList' },
            address: { type: 'string' },
            interval: { $ref: '#/definitions/duration' },
            timeout: { $ref: '#/definitions/duration' },
          },
          required: ['interval', 'timeout', 'address'],
          type: 'object',
        },
        portCheckList: { items: { $ref: '#/definitions/portCheck' }, type: 'array' },
      },
      properties: {
        hostname: { type: 'string' },
        httpChecks: { $ref: '#/definitions/httpCheckList' },
        port: { maximum: 65535, minimum: 0, type: 'integer' },
        portChecks: { $ref: '#/definitions/portCheckList' },
        protocol: { enum: ['tcp', 'udp'], type: ['string', 'null'] },
      },
      required: ['hostname', 'port'],
      type: 'object',
    },
  },
];

export const routerLinkSchema = {
  $id: 'https://netfoundry.io/schemas/router.link.v1.config.json',
  type: 'object',
  additionalProperties: false,
  definitions: {
    duration: { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$' },
    groups: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    channelOptions: {
      type: 'object',
      additionalProperties: false,
      properties: {
        outQueueSize: { type: 'integer', minimum: 0 },
        maxQueuedConnects: { type: 'integer', minimum: 0, maximum: 5000 },
        maxOutstandingConnects: { type: 'integer', minimum: 1, maximum: 1000 },
        connectTimeout: { $ref: '#/definitions/duration' },
        writeTimeout: { $ref: '#/definitions/duration' },
      },
    },
    backoff: {
      type: 'object',
      additionalProperties: false,
      properties: {
        retryBackoffFactor: { type: 'number', minimum: 1, maximum: 100 },
        minRetryInterval: { $ref: '#/definitions/duration' },
        maxRetryInterval: { $ref: '#/definitions/duration' },
      },
    },
    listener: {
      type: 'object',
      additionalProperties: false,
      required: ['bind'],
      properties: {
        binding: { type: 'string', minLength: 1, default: 'transport' },
        bind: { type: 'string', minLength: 1 },
        advertise: { type: 'string' },
        bindInterface: { type: 'string' },
        groups: { $ref: '#/definitions/groups' },
        options: { $ref: '#/definitions/channelOptions' },
      },
    },
    dialer: {
      type: 'object',
      additionalProperties: false,
      properties: {
        binding: { type: 'string', minLength: 1, default: 'transport' },
        maxDefaultConnections: { type: 'integer', minimum: 1, maximum: 100 },
        maxAckConnections: { type: 'integer', minimum: 0, maximum: 100 },
        startupDelay: { $ref: '#/definitions/duration' },
        bindInterface: { type: 'string' },
        groups: { $ref: '#/definitions/groups' },
        healthyDialBackoff: { $ref: '#/definitions/backoff' },
        unhealthyDialBackoff: { $ref: '#/definitions/backoff' },
        options: { $ref: '#/definitions/channelOptions' },
      },
    },
    heartbeats: {
      type: 'object',
      additionalProperties: false,
      properties: {
        sendInterval: { $ref: '#/definitions/duration' },
        checkInterval: { $ref: '#/definitions/duration' },
        closeUnresponsiveTimeout: { $ref: '#/definitions/duration' },
      },
    },
  },
  properties: {
    listeners: { type: 'array', items: { $ref: '#/definitions/listener' } },
    dialers: { type: 'array', items: { $ref: '#/definitions/dialer' } },
    heartbeats: { $ref: '#/definitions/heartbeats' },
    payloadSenderQueueSize: { type: 'integer', minimum: 1 },
    ackSenderQueueSize: { type: 'integer', minimum: 1 },
    gcMode: { type: 'string', enum: ['preserve', 'orphaned', 'changed'], default: 'preserve' },
  },
};
