import type { Mention } from './mention.ts'

/** Names found in a Markdown page. */
export interface MarkdownText {
  /** Texts between code marks. */
  readonly spans: readonly Mention[]
  /** Lines outside code blocks, without the texts between code marks. */
  readonly prose: readonly Mention[]
  /** Lines of shell blocks, with continued lines joined and comments removed. */
  readonly commands: readonly Mention[]
  /** Lines of TOML blocks, each preceded by its section: `[evm] http_port = 1`. */
  readonly settings: readonly Mention[]
  /** Targets of links, with their anchors. */
  readonly links: readonly Mention[]
  /** Anchors of the page's headings. */
  readonly anchors: ReadonlySet<string>
}

/** Returns the anchor that forges give a heading. */
function anchorOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  return text.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')
}

/** Reads a Markdown page line by line: its code, its links and its headings. */
export function readMarkdown(file: string, source: string): MarkdownText {
  const spans: Mention[] = []
  const prose: Mention[] = []
  const commands: Mention[] = []
  const settings: Mention[] = []
  const links: Mention[] = []
  const anchors = new Set<string>()
  let language: string | undefined
  let section = ''
  let continued: Mention | undefined
  for (const [index, text] of source.split('\n').entries()) {
    const line = index + 1
    const fence = /^\s*```(\w*)/.exec(text)
    if (fence !== null) {
      language = language === undefined ? fence[1] : undefined
      section = ''
    } else if (language === 'sh' || language === '') {
      const begun = continued ?? { file, line, text: '' }
      const joined = { ...begun, text: `${begun.text}${text.replace(/\s#.*$/, '')}` }
      continued = joined.text.endsWith('\\')
        ? { ...joined, text: joined.text.slice(0, -1) }
        : undefined
      if (continued === undefined) commands.push(joined)
    } else if (language === 'toml') {
      section = /^\[\[?([\w.-]+)\]/.exec(text)?.[1] ?? section
      if (/^[\w-]+ *=/.test(text)) settings.push({ file, line, text: `[${section}] ${text}` })
    } else if (language === undefined) {
      const heading = /^#+ (.*)$/.exec(text)?.[1]
      if (heading !== undefined) anchors.add(anchorOf(heading))
      for (const [, span = ''] of text.matchAll(/`([^`]+)`/g)) {
        spans.push({ file, line, text: span.replaceAll('\\|', '|') })
      }
      prose.push({ file, line, text: text.replace(/`[^`]*`/g, '') })
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        links.push({ file, line, text: target })
      }
    }
  }
  return { spans, prose, commands, settings, links, anchors }
}
