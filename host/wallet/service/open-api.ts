import { z } from 'zod'
import { lookup } from '../../base/lookup.ts'
import { HEADER_FAMILIES } from '../protocol/authorization.ts'
import {
  errorsOf,
  type RouteName,
  WALLET_ROUTES,
  type WalletRoute,
} from '../protocol/route-table.ts'
import { WALLET_ERRORS } from '../protocol/wallet-error.ts'

type Json = Readonly<Record<string, unknown>>

function schemaOf(shape: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io })
  return schema
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { $ref: '#/components/schemas/Id' },
  }))
}

function queryParameters({ query }: WalletRoute): Json[] {
  if (query === undefined) return []
  const { properties = {}, required = [] } = schemaOf(query, 'input') as {
    properties?: Json
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

function headerParameters({ method, authority }: WalletRoute): Json[] {
  if (authority === 'nobody') return []
  const names = ['app-id']
  if (method !== 'GET') names.push('authorization-signature', 'idempotency-key', 'request-expiry')
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

/** Returns the responses of a route: its own, and one per status of its errors. */
function responsesOf(route: WalletRoute): Json {
  const codes = new Map<number, string[]>()
  for (const code of errorsOf(route)) {
    const { status } = WALLET_ERRORS[code]
    codes.set(status, [...(codes.get(status) ?? []), code])
  }
  const responses: Record<string, unknown> = {
    200: {
      description: route.summary,
      content: { 'application/json': { schema: schemaOf(route.answer, 'output') } },
    },
  }
  for (const [status, names] of [...codes].sort(([one], [other]) => one - other)) {
    responses[status] = {
      description: names.join(', '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    }
  }
  return responses
}

function operationOf(name: RouteName, route: WalletRoute): Json {
  const parameters = [
    ...pathParameters(route.path),
    ...queryParameters(route),
    ...headerParameters(route),
  ]
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.path.split('/')[2]],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(route.body, 'input') } },
      },
    }),
    responses: responsesOf(route),
    security: route.authority === 'nobody' ? [] : [{ app: [] }],
  }
}

const HEADER_TEXTS = {
  'app-id': 'the app, as in the Basic credentials',
  'authorization-signature':
    'base64 of DER, several separated by commas: ECDSA P-256 over SHA-256 of the canonical JSON (RFC 8785) of version, ' +
    'method, url, body and headers',
  'idempotency-key': 'the same key within 24 hours gets the same answer',
  'request-expiry': 'milliseconds since 1970, at most 72 hours from now',
} as const

const [FAMILY, OTHER_FAMILY] = HEADER_FAMILIES

function headerComponents(): Json {
  return Object.fromEntries(
    Object.entries(HEADER_TEXTS).map(([name, text]) => [
      name,
      {
        name: `${FAMILY}-${name}`,
        in: 'header',
        // Not required: headers of the other family are accepted too, which OpenAPI cannot express.
        required: false,
        description: `${text}; or ${OTHER_FAMILY}-${name}`,
        schema: { type: 'string' },
      },
    ]),
  )
}

/** Returns the OpenAPI 3.1 document, generated from the route table. */
export function openApiDocument(): Json {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, route] of Object.entries(WALLET_ROUTES) as [RouteName, WalletRoute][]) {
    const operations = lookup(paths, route.path) ?? {}
    operations[route.method.toLowerCase()] = operationOf(name, route)
    paths[route.path] = operations
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Wallets',
      version: '1',
      description:
        'Wallets whose keys stay with their signer. The base path /api/v1 is equivalent to /v1.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        app: {
          type: 'http',
          scheme: 'basic',
          description: 'id and secret of the app, or of one of its agents',
        },
      },
      parameters: headerComponents(),
      schemas: {
        Id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
        Error: {
          type: 'object',
          properties: {
            error: { type: 'string', description: 'what is wrong, in words' },
            code: { type: 'string', enum: Object.keys(WALLET_ERRORS) },
          },
          required: ['error', 'code'],
        },
      },
    },
  }
}
