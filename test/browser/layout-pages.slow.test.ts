import { checkLayoutOf, checkLayoutOfPages, longestNode } from './explorer/check-layout.ts'

const node = longestNode()
checkLayoutOfPages(node)
checkLayoutOf('wrote', node)
