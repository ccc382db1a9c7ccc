/**
 * Writes the page of host/explorer/page as one self-contained file, under the given name, for browsers that open it
 * from a folder. From there a page cannot load modules or WebAssembly of other files, or start a worker from one.
 */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { build, type Plugin } from 'vite'
import { explorerPolicy } from '../../host/node/serve/explorer-policy.ts'
import { PAGE_BUILD } from './page-build.ts'

/** Where the library starts its worker, which Vite would put into a separate file. */
const WORKER = /new Worker\(new URL\('(\.[^']+)', import\.meta\.url\), \{ type: 'module' \}\)/

/** Inlines the worker into the page, where a page opened from a file may start it. */
const WORKER_WITHIN: Plugin = {
  name: 'worker-within',
  enforce: 'pre',
  transform(code, id) {
    const [start, path] = WORKER.exec(code) ?? []
    if (start === undefined || id.includes('/node_modules/')) return undefined
    const worker = `import WorkerWithin from '${path}?worker&inline'\n`
    return { code: worker + code.replace(start, 'new WorkerWithin()'), map: null }
  },
}

/** The time of the plugins needs no action. */
const ONE_CHUNK = { output: { codeSplitting: false }, checks: { pluginTimings: false } } as const

function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** Returns the page with its script, its style and a policy that allows only these. */
async function buildStandalone(): Promise<string> {
  const built = await build({
    ...PAGE_BUILD,
    build: {
      write: false,
      assetsInlineLimit: Number.POSITIVE_INFINITY,
      cssCodeSplit: false,
      modulePreload: false,
      rolldownOptions: ONE_CHUNK,
    },
    worker: { format: 'iife', rolldownOptions: ONE_CHUNK },
    plugins: [WORKER_WITHIN],
  })
  if (!('output' in built)) throw new Error('the build did not produce exactly one output')
  const { output } = built
  let html = ''
  let script = ''
  let style = ''
  for (const file of output) {
    if (file.type === 'chunk') script += file.code
    else if (file.fileName.endsWith('.html')) html = String(file.source)
    else if (file.fileName.endsWith('.css')) style += String(file.source)
    else throw new Error(`${file.fileName} is not inlined in the page`)
  }
  // These sequences would end the element anywhere in the script.
  script = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
  const policy = explorerPolicy({
    'script-src': `${sourceHash(script)} 'wasm-unsafe-eval'`,
    'style-src': sourceHash(style),
    'connect-src': 'data: http: https: ws: wss:',
    'worker-src': 'blob:',
    'frame-ancestors': undefined,
  })
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}"><style>${style}</style>`
  // At the end, because the script, like a module, runs after the document.
  return html
    .replace(/<script type="module"[^>]*><\/script>/, '')
    .replace(/<link rel="stylesheet"[^>]*>/, '')
    .replace('<head>', () => `<head>\n    ${head}`)
    .replace('</body>', () => `  <script type="module">${script}</script>\n  </body>`)
}

const file = process.argv[2]
if (file === undefined) throw new Error('name the file to write the page to')
writeFileSync(file, await buildStandalone())
