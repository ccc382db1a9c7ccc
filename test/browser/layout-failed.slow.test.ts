import { checkLayoutOf, longestNode } from './explorer/check-layout.ts'

checkLayoutOf('failed', longestNode())
