/** How a discoverable resource is called, by example. */
export interface CallExample {
  /** Query parameters. */
  readonly query?: Readonly<Record<string, string>>
  /** JSON body of POST, PUT and PATCH. */
  readonly body?: unknown
  /** Response, or the part of it that a buyer should know. */
  readonly response?: unknown
}

/** A request as the extension describes it. */
export interface DescribedCall {
  readonly method: string
  /** Decoded path. */
  readonly path: string
}

/** An extension of x402 v2: the data, and the JSON Schema that it satisfies. */
export interface PaymentExtension {
  readonly info: object
  readonly schema: object
}

/** The extension `bazaar`, by which facilitators catalog a resource. */
export interface BazaarExtension extends PaymentExtension {
  /** Path of a resource with parameters, such as `/users/:id`. */
  readonly routeTemplate?: string
}

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'
const TEXTS = { type: 'object', additionalProperties: { type: 'string' } } as const
/** What a facilitator accepts as a template. */
const TEMPLATE = /^\/[a-zA-Z0-9_/:.\-~%]+$/
const PARAMETER = /^(?::(\w+)|\[(\w+)\])$/

function hasBody(method: string): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH'
}

function outputType(mediaType: string): string {
  if (/[/+]json\b/.test(mediaType)) return 'json'
  return mediaType.startsWith('text/') ? 'text' : mediaType || 'json'
}

/** Returns the values of a configured path's parameters; undefined if it has none. */
function pathParameters(route: string, path: string): Record<string, string> | undefined {
  const values = path.split('/')
  const found = route.split('/').flatMap((segment, at) => {
    const [, colon, bracket] = PARAMETER.exec(segment) ?? []
    const name = colon ?? bracket
    return name === undefined ? [] : [[name, values[at] ?? ''] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** Returns the extension that describes a call of a resource. @param route configured path of the resource */
export function bazaarExtension(
  route: string,
  mediaType: string,
  { query, body, response }: CallExample,
  { method: asked, path }: DescribedCall,
): BazaarExtension {
  // HEAD asks for the price of GET
  const method = asked === 'HEAD' ? 'GET' : asked
  const withBody = hasBody(method)
  const pathParams = pathParameters(route, path)
  const template = route.replaceAll(/\[(\w+)\]/g, ':$1')
  const isTemplate = pathParams !== undefined && TEMPLATE.test(template)
  return {
    info: {
      input: {
        type: 'http',
        method,
        ...(withBody && { bodyType: 'json', body: body ?? {} }),
        ...(query !== undefined && { queryParams: query }),
        ...(pathParams !== undefined && { pathParams }),
      },
      output: {
        type: outputType(mediaType),
        ...(response !== undefined && { example: response }),
      },
    },
    schema: {
      $schema: DRAFT,
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            type: { type: 'string', const: 'http' },
            method: { type: 'string', enum: [method] },
            ...(withBody && { bodyType: { type: 'string', enum: ['json'] }, body: {} }),
            queryParams: TEXTS,
            ...(pathParams !== undefined && { pathParams: TEXTS }),
          },
          required: ['type', 'method', ...(withBody ? ['bodyType', 'body'] : [])],
          additionalProperties: false,
        },
        output: {
          type: 'object',
          properties: { type: { type: 'string' }, example: {} },
          required: ['type'],
        },
      },
      required: ['input'],
    },
    ...(isTemplate && { routeTemplate: template }),
  }
}
