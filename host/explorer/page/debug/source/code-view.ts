import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import {
  Compartment,
  EditorState,
  type Extension,
  RangeSet,
  StateEffect,
  StateField,
} from '@codemirror/state'
import { Decoration, EditorView, GutterMarker, gutter, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { solidity } from '@replit/codemirror-lang-solidity'

/** The marks of a source. Lines count from 1. */
export interface CodeMarks {
  readonly current: { readonly line: number; readonly endLine: number } | undefined
  /** Lines with an enabled breakpoint, and with a disabled one. */
  readonly stops: ReadonlySet<number>
  readonly offStops: ReadonlySet<number>
}

class StopMarker extends GutterMarker {
  readonly #isEnabled: boolean

  constructor(isEnabled: boolean) {
    super()
    this.#isEnabled = isEnabled
  }

  override toDOM(): Node {
    return document.createTextNode(this.#isEnabled ? '●' : '○')
  }
}

const ON = new StopMarker(true)
const OFF = new StopMarker(false)
const CURRENT_LINE = Decoration.line({ class: 'is-current-line' })

/** Maximum lines marked as a whole; of a longer function or contract only the first line is marked. */
const LONGEST_MARK = 8

const setMarks = StateEffect.define<CodeMarks>()
const NO_MARKS: CodeMarks = { current: undefined, stops: new Set(), offStops: new Set() }

const marks = StateField.define<CodeMarks>({
  create: () => NO_MARKS,
  update: (value, transaction) =>
    transaction.effects.findLast((effect) => effect.is(setMarks))?.value ?? value,
  provide: (field) =>
    EditorView.decorations.compute([field], (state) => {
      const { current } = state.field(field)
      if (current === undefined) return Decoration.none
      const { line: first, endLine } = current
      const isLong = endLine - first > LONGEST_MARK
      const last = isLong ? first : Math.min(state.doc.lines, Math.max(first, endLine))
      const ranges = []
      for (let line = first; line <= last; line++) {
        ranges.push(CURRENT_LINE.range(state.doc.line(line).from))
      }
      return Decoration.set(ranges)
    }),
})

const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--muted)' },
  { tag: [tags.string, tags.number, tags.bool], color: 'var(--good)' },
  { tag: [tags.typeName], color: 'var(--warn)' },
])

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--raised)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: 'var(--small)', lineHeight: '1.5' },
  '.cm-gutters': {
    backgroundColor: 'var(--raised)',
    color: 'var(--muted)',
    border: 'none',
  },
  '.cm-stops': { width: '2.5ch', cursor: 'pointer' },
  '.cm-stops .cm-gutterElement': { textAlign: 'center', color: 'var(--bad)' },
  '.cm-stops .cm-gutterElement:hover': { backgroundColor: 'var(--accent-ground)' },
  '.is-current-line': {
    backgroundColor: 'var(--accent-ground)',
    boxShadow: 'inset 3px 0',
  },
  '&.cm-focused': {
    outlineWidth: '2px',
    outlineStyle: 'solid',
    outlineColor: 'var(--accent)',
    outlineOffset: '-2px',
  },
})

/**
 * Shows a read-only source. It is in a shadow tree whose styles are adopted style sheets: style elements would
 * violate the page's policy.
 */
export class CodeView {
  readonly #view: EditorView
  readonly #label = new Compartment()
  #name = ''
  #text = ''

  constructor(host: HTMLElement, onToggle: (line: number) => void) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
    const stops = gutter({
      class: 'cm-stops',
      markers: (view) => stopMarkers(view.state),
      initialSpacer: () => ON,
      domEventHandlers: {
        mousedown: (view, block) => {
          onToggle(view.state.doc.lineAt(block.from).number)
          return true
        },
      },
    })
    this.#view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        extensions: [
          stops,
          lineNumbers(),
          solidity,
          syntaxHighlighting(HIGHLIGHT),
          THEME,
          marks,
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          // Labelled at once: a screen reader may reach it before the text arrives.
          this.#label.of(attributesOf('Source')),
        ],
      }),
    })
  }

  /** Shows a text; the same text keeps its scroll position. */
  show(name: string, text: string): void {
    if (name === this.#name && text === this.#text) return
    this.#name = name
    this.#text = text
    this.#view.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert: text },
      effects: [setMarks.of(NO_MARKS), this.#label.reconfigure(attributesOf(`Source of ${name}`))],
    })
  }

  /** Marks lines, and scrolls to the current one. */
  mark(shown: CodeMarks): void {
    const { state } = this.#view
    const before = state.field(marks).current
    const isThere = shown.current !== undefined && shown.current.line <= state.doc.lines
    const next = isThere ? shown : { ...shown, current: undefined }
    const line = next.current?.line
    this.#view.dispatch({
      effects: [
        setMarks.of(next),
        ...(line === undefined || line === before?.line
          ? []
          : [EditorView.scrollIntoView(state.doc.line(line).from, { y: 'nearest', yMargin: 60 })]),
      ],
    })
  }

  destroy(): void {
    this.#view.destroy()
  }
}

function attributesOf(label: string): Extension {
  return EditorView.contentAttributes.of({
    'aria-label': label,
    tabindex: '0',
    'aria-readonly': 'true',
  })
}

function stopMarkers(state: EditorState): RangeSet<GutterMarker> {
  const { stops, offStops } = state.field(marks)
  const lines = [...stops, ...offStops]
    .filter((line) => line <= state.doc.lines)
    .sort((a, b) => a - b)
  return RangeSet.of(
    lines.map((line) => (stops.has(line) ? ON : OFF).range(state.doc.line(line).from)),
  )
}
