/**
 * Writes the page of host/explorer/page as one file, which is named, with everything in it: a browser opens it from a
 * folder. From there it loads neither modules nor WebAssembly of other files, and starts no worker of one.
 */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { build, type Plugin } from 'vite'
import { explorerPolicy } from '../../host/node/serve/explorer-policy.ts'
import { PAGE_BUILD } from './page-build.ts'

/** Where the library starts its worker, as Vite would make a file of it. */
const WORKER = /new Worker\(new URL\('(\.[^']+)', import\.meta\.url\), \{ type: 'module' \}\)/

/** Has the worker within the page, where a page that lies as a file may start it. */
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

/** How long the plugins take is nothing to act upon. */
const ONE_CHUNK = { output: { codeSplitting: false }, checks: { pluginTimings: false } } as const

function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** The page with its script, its style and a policy that allows these alone. */
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
  if (!('output' in built)) throw new Error('the build gave no one output')
  const { output } = built
  let html = ''
  let script = ''
  let style = ''
  for (const file of output) {
    if (file.type === 'chunk') script += file.code
    else if (file.fileName.endsWith('.html')) html = String(file.source)
    else if (file.fileName.endsWith('.css')) style += String(file.source)
    else throw new Error(`${file.fileName} is not within the page`)
  }
  // What would end the element ends it, wherever it stands.
  script = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
  const policy = explorerPolicy({
    'script-src': `${sourceHash(script)} 'wasm-unsafe-eval'`,
    'style-src': sourceHash(style),
    'connect-src': 'data: http: https: ws: wss:',
    'worker-src': 'blob:',
    'frame-ancestors': undefined,
  })
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}"><style>${style}</style>`
  // At the end: a module waits for the document, and so does this.
  return html
    .replace(/<script type="module"[^>]*><\/script>/, '')
    .replace(/<link rel="stylesheet"[^>]*>/, '')
    .replace('<head>', () => `<head>\n    ${head}`)
    .replace('</body>', () => `  <script type="module">${script}</script>\n  </body>`)
}

const file = process.argv[2]
if (file === undefined) throw new Error('name the file that the page is written to')
writeFileSync(file, await buildStandalone())
