# SPDX-License-Identifier: MIT
"""Tokenizer and operator-precedence parser for Edinburgh syntax, and the term writer."""

from terms import Atom, Str, Struct, Vec, PVar, Opaque, NIL, is_cons, make_list


class SyntaxFault(Exception):
    def __init__(self, message, line, column):
        super().__init__('%d:%d: %s' % (line, column, message))
        self.line = line
        self.column = column


INFIX = {
    ':-': (1200, 'xfx'), '-->': (1200, 'xfx'),
    ';': (1100, 'xfy'), '|': (1100, 'xfy'),
    '->': (1050, 'xfy'), ',': (1000, 'xfy'), '@': (950, 'yfx'),
    '=': (700, 'xfx'), '\\=': (700, 'xfx'), '==': (700, 'xfx'), '\\==': (700, 'xfx'),
    '@<': (700, 'xfx'), '@>': (700, 'xfx'), '@=<': (700, 'xfx'), '@>=': (700, 'xfx'),
    '=..': (700, 'xfx'), 'is': (700, 'xfx'), '=:=': (700, 'xfx'), '=\\=': (700, 'xfx'),
    '<': (700, 'xfx'), '=<': (700, 'xfx'), '>': (700, 'xfx'), '>=': (700, 'xfx'),
    ':=': (700, 'xfx'), '$:=': (700, 'xfx'), '$=:=': (700, 'xfx'), '$=\\=': (700, 'xfx'),
    '$<': (700, 'xfx'), '$>': (700, 'xfx'), '$=<': (700, 'xfx'), '$>=': (700, 'xfx'),
    '+': (500, 'yfx'), '-': (500, 'yfx'), '/\\': (500, 'yfx'), '\\/': (500, 'yfx'),
    'xor': (500, 'yfx'),
    '*': (400, 'yfx'), '/': (400, 'yfx'), '//': (400, 'yfx'), 'mod': (400, 'yfx'),
    'rem': (400, 'yfx'), '<<': (400, 'yfx'), '>>': (400, 'yfx'), 'div': (400, 'yfx'),
    '**': (200, 'xfx'), '^': (200, 'xfy'), ':': (200, 'xfy'),
}
PREFIX = {
    ':-': (1200, 'fx'), '?-': (1200, 'fx'), '\\+': (900, 'fy'),
    '-': (200, 'fy'), '+': (200, 'fy'), '\\': (200, 'fy'),
}
SYMBOL_CHARS = set('+-*/\\^<>=~:.?@#&$')
ESCAPES = {'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', '0': '\0',
           '\\': '\\', "'": "'", '"': '"', '`': '`', 's': ' ', 'e': '\x1b'}


class Token:
    def __init__(self, kind, value, line, column, start, end):
        self.kind = kind        # atom qatom var int float str punct end eof
        self.value = value
        self.line = line
        self.column = column
        self.start = start
        self.end = end


class Tokenizer:
    def __init__(self, text):
        self.text = text
        self.pos = 0
        self.line = 1
        self.line_start = 0

    def fault(self, message):
        raise SyntaxFault(message, self.line, self.pos - self.line_start + 1)

    def peek(self, ahead=0):
        at = self.pos + ahead
        return self.text[at] if at < len(self.text) else ''

    def advance(self):
        char = self.text[self.pos]
        self.pos += 1
        if char == '\n':
            self.line += 1
            self.line_start = self.pos
        return char

    def skip_layout(self):
        while self.pos < len(self.text):
            char = self.peek()
            if char.isspace():
                self.advance()
            elif char == '%':
                while self.pos < len(self.text) and self.peek() != '\n':
                    self.advance()
            elif char == '/' and self.peek(1) == '*':
                self.advance()
                self.advance()
                while not (self.peek() == '*' and self.peek(1) == '/'):
                    if self.pos >= len(self.text):
                        self.fault('comment not closed')
                    self.advance()
                self.advance()
                self.advance()
            else:
                return

    def next(self):
        self.skip_layout()
        line, column, start = self.line, self.pos - self.line_start + 1, self.pos
        kind, value = self.scan()
        return Token(kind, value, line, column, start, self.pos)

    def scan(self):
        char = self.peek()
        if char == '':
            return 'eof', None
        if char.isdigit():
            return self.number()
        if char == '_' or char.isupper():
            return 'var', self.word()
        if char.isalpha():
            return 'atom', self.word()
        if char == "'":
            return 'qatom', self.quoted("'")
        if char == '"':
            return 'str', self.quoted('"')
        if char == '.' and (self.peek(1) == '' or self.peek(1).isspace() or self.peek(1) == '%'):
            self.advance()
            return 'end', '.'
        if char in '()[]{},|':
            self.advance()
            return 'punct', char
        if char in '!;':
            self.advance()
            return 'atom', char
        if char in SYMBOL_CHARS:
            start = self.pos
            while self.peek() and self.peek() in SYMBOL_CHARS:
                self.advance()
            return 'atom', self.text[start:self.pos]
        self.fault('unexpected character %r' % char)

    def word(self):
        start = self.pos
        while self.peek() and (self.peek().isalnum() or self.peek() == '_'):
            self.advance()
        return self.text[start:self.pos]

    def number(self):
        if self.peek() == '0' and self.peek(1) == "'" and self.peek(2):
            self.advance()
            self.advance()
            char = self.advance()
            if char == '\\':
                return 'int', ord(self.escape())
            if char == "'":
                if self.peek() != "'":
                    self.fault("a quote as a character code is written 0'''")
                self.advance()
            return 'int', ord(char)
        for prefix, base in (('0x', 16), ('0o', 8), ('0b', 2)):
            if self.text.startswith(prefix, self.pos):
                digits = self.text[self.pos + 2:self.pos + 3]
                if digits and digits in '0123456789abcdefABCDEF'[:base if base < 16 else 22]:
                    self.pos += 2
                    return 'int', int(self.word(), base)
        start = self.pos
        while self.peek().isdigit():
            self.advance()
        if not (self.peek() == '.' and self.peek(1).isdigit()):
            return 'int', int(self.text[start:self.pos])
        self.advance()
        while self.peek().isdigit():
            self.advance()
        if self.peek() in ('e', 'E'):
            ahead = 2 if self.peek(1) in ('+', '-') else 1
            if self.peek(ahead).isdigit():
                self.pos += ahead
                while self.peek().isdigit():
                    self.advance()
        return 'float', float(self.text[start:self.pos])

    def escape(self):
        char = self.advance()
        if char == 'x':
            start = self.pos
            while self.peek() and self.peek() in '0123456789abcdefABCDEF':
                self.advance()
            code = int(self.text[start:self.pos], 16)
            if self.peek() == '\\':
                self.advance()
            return chr(code)
        if char in ESCAPES:
            return ESCAPES[char]
        self.fault('unknown escape \\%s' % char)

    def quoted(self, quote):
        self.advance()
        out = []
        while True:
            char = self.peek()
            if char == '':
                self.fault('quoted text not closed')
            self.advance()
            if char == quote:
                if self.peek() != quote:
                    return ''.join(out)
                self.advance()
                out.append(quote)
            elif char == '\\':
                if self.peek() == '\n':
                    self.advance()
                else:
                    out.append(self.escape())
            else:
                out.append(char)


class Parser:
    """Reads one term after another.  Each term knows the line where it begins."""

    def __init__(self, text):
        self.tokenizer = Tokenizer(text)
        self.token = self.tokenizer.next()
        self.anonymous = 0
        self.lines = {}             # id(goal-like term) -> line

    def fault(self, message):
        raise SyntaxFault(message, self.token.line, self.token.column)

    def shift(self):
        token = self.token
        self.token = self.tokenizer.next()
        return token

    def is_punct(self, value):
        return self.token.kind == 'punct' and self.token.value == value

    def expect(self, value):
        if not self.is_punct(value):
            self.fault('%r expected' % value)
        self.shift()

    def read(self):
        """The next clause as (term, line), or None at the end of the text."""
        if self.token.kind == 'eof':
            return None
        line = self.token.line
        term = self.parse(1200)
        if self.token.kind != 'end':
            self.fault('operator or `.` expected')
        self.shift()
        return term, line

    def read_goal(self):
        """A goal text, with or without the closing `.`."""
        term = self.parse(1200)
        if self.token.kind == 'end':
            self.shift()
        if self.token.kind != 'eof':
            self.fault('end of goal expected')
        return term

    def infix_name(self):
        token = self.token
        if token.kind in ('atom', 'qatom') and token.value in INFIX:
            return token.value
        if token.kind == 'punct' and token.value in ',|':
            return token.value
        return None

    def parse(self, limit):
        line = self.token.line
        left, left_priority = self.primary(limit)
        while True:
            name = self.infix_name()
            if name is None:
                return left
            priority, kind = INFIX[name]
            left_max = priority if kind == 'yfx' else priority - 1
            right_max = priority if kind == 'xfy' else priority - 1
            if priority > limit or left_priority > left_max:
                return left
            self.shift()
            right = self.parse(right_max)
            left = Struct(name, [left, right])
            self.lines[id(left)] = line
            left_priority = priority

    def starts_term(self):
        token = self.token
        if token.kind in ('end', 'eof'):
            return False
        if token.kind == 'punct':
            return token.value in '([{'
        if token.kind == 'atom' and token.value in INFIX:
            # "- = x": an infix operator after a prefix one makes the prefix one an atom,
            # unless it can itself open a term.
            return token.value in PREFIX
        return True

    def primary(self, limit):
        token = self.shift()
        kind, value = token.kind, token.value
        if kind in ('int', 'float'):
            return value, 0
        if kind == 'str':
            return Str(value), 0
        if kind == 'var':
            if value == '_':
                self.anonymous += 1
                return PVar('_', '_%d' % self.anonymous), 0
            return PVar(value, value), 0
        if kind == 'punct':
            return self.bracketed(token), 0
        if kind in ('atom', 'qatom'):
            return self.name(token, limit)
        raise SyntaxFault('term expected', token.line, token.column)

    def name(self, token, limit):
        value = token.value
        following = self.token
        if following.kind == 'punct' and following.value == '(' and following.start == token.end:
            self.shift()
            term = Struct(value, self.arguments(')'))
            self.lines[id(term)] = token.line
            return term, 0
        if token.kind == 'atom' and value in ('-', '+') and following.start == token.end \
                and following.kind in ('int', 'float'):
            self.shift()
            return (-following.value if value == '-' else following.value), 0
        if token.kind == 'atom' and value in PREFIX and self.starts_term():
            priority, how = PREFIX[value]
            if priority > limit:
                priority = 999
            operand = self.parse(priority if how == 'fy' else priority - 1)
            return Struct(value, [operand]), priority
        priority = 0
        if token.kind == 'atom' and (value in INFIX or value in PREFIX):
            priority = max(INFIX.get(value, (0,))[0], PREFIX.get(value, (0,))[0])
            if priority > limit:
                priority = 0
        return Atom(value), priority

    def arguments(self, close):
        args = [self.parse(999)]
        while self.is_punct(','):
            self.shift()
            args.append(self.parse(999))
        self.expect(close)
        return args

    def bracketed(self, token):
        if token.value == '(':
            term = self.parse(1200)
            self.expect(')')
            return term
        if token.value == '{':
            if self.is_punct('}'):
                self.shift()
                return Vec([])
            return Vec(self.arguments('}'))
        if token.value == '[':
            if self.is_punct(']'):
                self.shift()
                return NIL
            items = [self.parse(999)]
            while self.is_punct(','):
                self.shift()
                items.append(self.parse(999))
            tail = NIL
            if self.is_punct('|'):
                self.shift()
                tail = self.parse(999)
            self.expect(']')
            return make_list(items, tail)
        raise SyntaxFault('unexpected %r' % token.value, token.line, token.column)


# ---- writing -------------------------------------------------------------------------------------

def atom_needs_quotes(name):
    if name in ('[]', '!', ';', ',', '|'):
        return name in (',', '|')
    if name and 'a' <= name[0] <= 'z' and all(c.isalnum() or c == '_' for c in name):
        return False
    symbols = name and all(c in SYMBOL_CHARS for c in name)
    return not symbols or name == '.' or name.startswith('/*')


def quote_text(text, mark):
    out = [mark]
    for char in text:
        if char in (mark, '\\'):
            out.append('\\' + char)
        elif char == '\n':
            out.append('\\n')
        elif char == '\t':
            out.append('\\t')
        else:
            out.append(char)
    out.append(mark)
    return ''.join(out)


def format_float(value):
    text = repr(value)
    if 'e' in text and '.' not in text:
        text = text.replace('e', '.0e')
    return text


class Writer:
    """Writes terms.  `resolve(term)` returns what to show for a term: a term or a name to print."""

    def __init__(self, quoted, resolve, name_of):
        self.quoted = quoted
        self.resolve = resolve      # term -> term (bound variables followed)
        self.name_of = name_of      # unbound variable -> text

    def atom(self, name):
        if self.quoted and atom_needs_quotes(name):
            return quote_text(name, "'")
        return name

    def write(self, term, limit=1200):
        while isinstance(term, Opaque):
            term = term.term
        term = self.resolve(term)
        while isinstance(term, Opaque):
            term = self.resolve(term.term)
        if isinstance(term, int):
            return str(term)
        if isinstance(term, float):
            return format_float(term)
        if isinstance(term, Str):
            return quote_text(term.text, '"') if self.quoted else term.text
        if isinstance(term, Atom):
            text = self.atom(term.name)
            is_op = term.name in INFIX or term.name in PREFIX
            return '(%s)' % text if is_op and limit < 1200 and limit != 999 else text
        if isinstance(term, Vec):
            return '{%s}' % ','.join(self.write(a, 999) for a in term.args)
        if is_cons(term):
            return self.list(term)
        if isinstance(term, Struct):
            return self.struct(term, limit)
        return self.name_of(term)

    def list(self, term):
        parts = [self.write(term.args[0], 999)]
        tail = self.resolve(term.args[1])
        while is_cons(tail):
            parts.append(self.write(tail.args[0], 999))
            tail = self.resolve(tail.args[1])
        text = ','.join(parts)
        if tail is not NIL:
            text += '|' + self.write(tail, 999)
        return '[%s]' % text

    def struct(self, term, limit):
        name, args = term.name, term.args
        if len(args) == 2 and name in INFIX:
            text, priority = self.infix(name, args)
        elif len(args) == 1 and name in PREFIX:
            text, priority = self.prefix(name, args[0])
        else:
            return '%s(%s)' % (self.atom(name), ','.join(self.write(a, 999) for a in args))
        return '(%s)' % text if priority > limit else text

    def infix(self, name, args):
        priority, kind = INFIX[name]
        left = self.write(args[0], priority if kind == 'yfx' else priority - 1)
        right = self.write(args[1], priority if kind == 'xfy' else priority - 1)
        if name == ',':
            return left + ',' + right, priority
        if name[0].isalpha() or name in ('->', ':-', '-->'):
            if name[0].isalpha():
                return '%s %s %s' % (left, name, right), priority
            return left + name + right, priority
        gap_left = ' ' if left and left[-1] in SYMBOL_CHARS else ''
        gap_right = ' ' if right and right[0] in SYMBOL_CHARS else ''
        return left + gap_left + name + gap_right + right, priority

    def prefix(self, name, arg):
        priority, kind = PREFIX[name]
        text = self.write(arg, priority if kind == 'fy' else priority - 1)
        value = self.resolve(arg)
        gap = ''
        if isinstance(value, (int, float)) or text[0] in SYMBOL_CHARS or text[0] == '(':
            gap = ' '
        return name + gap + text, priority
