/**
 * Browsers limit the height of an element (Firefox 17.9 M physical pixels, Chromium 33.5 M). 4 M stay below that at a
 * zoom of 400 %.
 */
export const MAX_HEIGHT = 4_000_000

/** Pixels at both ends over which a pixel of the scroll bar is a pixel of the list; between them it is several. */
const EXACT_END = 500_000

/** Larger scroll movements, in pages, come from a dragged scroll bar or a far jump. */
const NEAR_PAGES = 3

export interface ScrollSize {
  readonly rows: number
  readonly rowHeight: number
  readonly viewHeight: number
}

/**
 * The scroll position in a list taller than an element can be. `top` is the first visible pixel of the list. The
 * element has a smaller scroll height: small moves map pixel by pixel, far ones in proportion.
 */
export class ScaledScroll {
  #size: ScrollSize
  #top = 0
  #scrollTop = 0

  constructor(size: ScrollSize) {
    this.#size = size
  }

  get top(): number {
    return this.#top
  }

  /** Height to give the element. */
  get height(): number {
    return Math.min(this.#listHeight, MAX_HEIGHT)
  }

  /** Scroll position to give the element after a movement ends. */
  get restingScrollTop(): number {
    return this.#toElement(this.#top)
  }

  /** Last known scroll position of the element. */
  get scrollTop(): number {
    return this.#scrollTop
  }

  /**
   * Visible rows, of which the first and last may be cut off; `offset` is the pixel of the element at which the first
   * starts.
   */
  get rows(): { readonly first: number; readonly end: number; readonly offset: number } {
    const { rows, rowHeight, viewHeight } = this.#size
    const first = Math.max(0, Math.min(rows - 1, Math.floor(this.#top / rowHeight)))
    const end = Math.min(rows, Math.ceil((this.#top + viewHeight) / rowHeight))
    return { first, end, offset: this.#scrollTop + first * rowHeight - this.#top }
  }

  resize(size: ScrollSize): void {
    this.#size = size
    this.#top = this.#clamp(this.#top)
  }

  /** Handles a scroll of the element, from any cause. */
  scrolled(scrollTop: number): void {
    const moved = scrollTop - this.#scrollTop
    if (moved === 0) return
    this.#scrollTop = scrollTop
    const isNear = Math.abs(moved) <= NEAR_PAGES * this.#size.viewHeight
    const isAtEnd = scrollTop <= 0 || scrollTop >= this.#lastScrollTop
    this.#top = this.#clamp(isNear && !isAtEnd ? this.#top + moved : this.#toList(scrollTop))
  }

  /**
   * Scrolls a row into view: not at all if it is visible; to the near edge if it is adjacent; otherwise to the
   * middle.
   */
  reveal(row: number): void {
    const { rowHeight, viewHeight } = this.#size
    const rowTop = row * rowHeight
    const rowEnd = rowTop + rowHeight
    if (rowTop >= this.#top && rowEnd <= this.#top + viewHeight) return
    const margin = 3 * rowHeight
    if (rowTop < this.#top && rowTop >= this.#top - margin) this.moveTo(rowTop)
    else if (rowEnd > this.#top + viewHeight && rowEnd <= this.#top + viewHeight + margin) {
      this.moveTo(rowEnd - viewHeight)
    } else this.moveTo(rowTop - (viewHeight - rowHeight) / 2)
  }

  /** Makes `top` the first visible pixel. */
  moveTo(top: number): void {
    this.#top = this.#clamp(top)
    this.#scrollTop = this.restingScrollTop
  }

  /** Records a scroll position set by the page itself: the visible part stays. */
  settle(scrollTop: number): void {
    this.#scrollTop = scrollTop
  }

  get #listHeight(): number {
    return this.#size.rows * this.#size.rowHeight
  }

  get #lastTop(): number {
    return Math.max(0, this.#listHeight - this.#size.viewHeight)
  }

  get #lastScrollTop(): number {
    return Math.max(0, this.height - this.#size.viewHeight)
  }

  #clamp(top: number): number {
    return Math.max(0, Math.min(this.#lastTop, top))
  }

  #toElement(top: number): number {
    if (this.#lastTop <= this.#lastScrollTop || top <= EXACT_END) return top
    const fromEnd = this.#lastTop - top
    if (fromEnd <= EXACT_END) return this.#lastScrollTop - fromEnd
    const scale = (this.#lastScrollTop - 2 * EXACT_END) / (this.#lastTop - 2 * EXACT_END)
    // Whole pixels, which elements keep.
    return Math.round(EXACT_END + (top - EXACT_END) * scale)
  }

  #toList(scrollTop: number): number {
    if (this.#lastTop <= this.#lastScrollTop || scrollTop <= EXACT_END) return scrollTop
    const fromEnd = this.#lastScrollTop - scrollTop
    if (fromEnd <= EXACT_END) return this.#lastTop - fromEnd
    const scale = (this.#lastTop - 2 * EXACT_END) / (this.#lastScrollTop - 2 * EXACT_END)
    return EXACT_END + (scrollTop - EXACT_END) * scale
  }
}
