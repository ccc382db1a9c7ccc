import type { Method } from './method.ts'

function signature({ params }: Method): string {
  const names = params.map(
    ({ name, type, required }) => `${name}${required ? '' : '?'}: ${type.label}`,
  )
  return names.join(', ')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** The reference page of the methods, in Markdown. */
export function methodReference(methods: readonly Method[]): string {
  const rows = methods.map((method) => {
    const transports = method.transports.length > 1 ? '' : ` (${method.transports.join()} only)`
    return `| \`${method.name}\`${transports} | ${cell(signature(method))} | ${cell(method.result)} |`
  })
  return [
    '# Methods of the EVM JSON-RPC',
    '',
    'Written by `tools/gen-docs.ts` from `methods.ts`. Arguments with a question mark may be left out or null.',
    '',
    '| method | arguments | result |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
