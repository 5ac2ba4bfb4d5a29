/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lw-exit C: end QEMU with the exit code 2 * C + 1, where C is the value of a
 * character, as isa-debug-exit does on a PC. There is no such device for arm64,
 * but a call that debuggers know (semihosting: SYS_EXIT), which QEMU takes from
 * user space if told so.
 */
	.globl	_start
_start:
	ldr	x1, [sp, #16]		/* argv[1] */
	ldrb	w1, [x1]
	lsl	w1, w1, #1
	add	w1, w1, #1
	mov	w0, #0x0026		/* ADP_Stopped_ApplicationExit, 0x20026 */
	movk	w0, #0x0002, lsl #16
	stp	x0, x1, [sp, #-16]!
	mov	x1, sp
	mov	w0, #0x18		/* SYS_EXIT */
	hlt	#0xf000
	.section .note.GNU-stack, "", %progbits
