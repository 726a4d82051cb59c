" SPDX-License-Identifier: MIT
autocmd BufRead,BufNewFile *.fl,*.ghc,*.kl1 set filetype=fleng
