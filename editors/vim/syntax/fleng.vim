" SPDX-License-Identifier: MIT
" Fleng, with FGHC guards and the KL1 dialect.
if exists("b:current_syntax")
  finish
endif
let s:cpo = &cpo
set cpo&vim
syntax case match
syntax iskeyword @,48-57,_

syntax match   flengOperator  "[-+*/\\^<>=~:@#$&|]\+"
syntax match   flengVariable  "\<[A-Z_]\w*"
syntax match   flengHead      "^\l\w*\ze\%((\|\s*:-\|\.\)"
syntax match   flengModule    "\<\l\w*\ze:\l"
syntax match   flengNumber    "\<\d\+\%(\.\d\+\)\?\%([eE][-+]\?\d\+\)\?"
syntax region  flengString    start=+"+ end=+"+ oneline contains=flengEscape
syntax region  flengAtom      start=+'+ end=+'+ oneline contains=flengEscape
syntax match   flengNumber    "\<\d\+'\w\+"
syntax match   flengNumber    "\<0\%(x\x\+\|o\o\+\|b[01]\+\)"
syntax match   flengNumber    "\<0'\%(\\.\|''\|[^\\']\)"
syntax keyword flengKeyword   otherwise alternatively true module use_module
syntax match   flengBuiltin   "\<\%(arg\|argv\|atom_string\|call\|compute\|format\|functor\|halt\|merge\|new_string\|new_vector\|nl\|number_string\|print\|random\|read_lines\|read_terms\|set_string_element\|set_vector_element\|split\|stderr\|stdin\|stdout\|string_codes\|string_concat\|string_element\|string_length\|sub_string\|term_string\|time\|vector_element\|vector_length\|write\|write_file\|writeln\)\ze("
syntax match   flengGuard     "\<\%(atom\|atomic\|compound\|float\|integer\|list\|number\|string\|unbound\|vector\|wait\)\ze("
syntax match   flengEscape    "\\\%(x\x\+\\\?\|\o\+\\\?\|.\)" contained
syntax keyword flengTodo      NOTE WARNING contained
syntax match   flengComment   "%.*" contains=flengTodo,@Spell
syntax region  flengComment   start="/\*" end="\*/" contains=flengTodo,@Spell

highlight default link flengComment  Comment
highlight default link flengTodo     Todo
highlight default link flengString   String
highlight default link flengAtom     Constant
highlight default link flengEscape   SpecialChar
highlight default link flengNumber   Number
highlight default link flengVariable Identifier
highlight default link flengHead     Function
highlight default link flengModule   Type
highlight default link flengKeyword  Keyword
highlight default link flengBuiltin  Special
highlight default link flengGuard    Special
highlight default link flengOperator Operator

syntax sync minlines=100
let b:current_syntax = "fleng"
let &cpo = s:cpo
unlet s:cpo
