/* The files of the page, as bytes of the program. The assembler looks for them where the build has put them (-I). */
.macro page_file name, file
    .globl view_\name\()_begin, view_\name\()_end
view_\name\()_begin:
    .incbin "\file"
view_\name\()_end:
    .byte 0
.endm

    .section .rodata
    page_file index, index.html
    page_file script, page.js
    page_file style, style.css

    .section .note.GNU-stack, "", %progbits
