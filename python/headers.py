"""Reads the public headers: their declarations as cffi wants them, and what each function, structure and enumeration is
called, made of and said to be. The headers are laid out by clang-format, so a small reader of text is enough; a
declaration that it does not understand ends the build."""
import os
import re

ORDER = ("base", "vector", "geometry", "body", "contact", "material", "force", "joint", "array", "problem", "method", "world",
         "query", "debug")


class Header:
    """All public headers as one: `cdef` for cffi, `functions`, `structs`, `enums` by name, each with its comment."""

    def __init__(self, folder):
        self.cdef, self.functions, self.structs, self.enums = [], {}, {}, {}
        done = set()
        for name in ORDER:
            self._header(folder, f"ashlar/{name}.h", done)
        for name in sorted(os.listdir(os.path.join(folder, "ashlar"))):
            if name != "ashlar.h":
                self._header(folder, f"ashlar/{name}", done)

    def _header(self, folder, path, done):
        if path in done:
            return
        done.add(path)
        with open(os.path.join(folder, path), encoding="utf-8") as file:
            text = file.read()
        for name in re.findall(r'^#include "(ashlar/\w+\.h)"', text, re.M):
            self._header(folder, name, done)
        self._read(text)

    def _read(self, text):
        text = re.sub(r'extern "C" \{|^\}\s*$(?=\s*#endif)', "", text, flags=re.M)
        for name, value in re.findall(r"^#define (ASH_\w+)\s+(\d+)u?\s*(?:/\*.*)?$", text, re.M):
            self.cdef.append(f"#define {name} {value}")
        text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.M)
        comment, pending, at = "", None, 0
        token = re.compile(r"/\*(.*?)\*/|static inline[^{;]*\{.*?^\}|typedef\s+(struct|enum)\s+(\w+)\s*\{.*?\}\s*\w+;|"
                           r"[A-Za-z_][^;{]*;", re.S | re.M)
        for match in token.finditer(text):
            between = text[at:match.start()]
            at = match.end()
            if match.group(1) is not None:
                words = clean(match.group(1))
                if pending and "\n" not in between:
                    pending["doc"] = words
                else:
                    comment = words
                continue
            if "\n\n" in between:
                comment = ""
            body = match.group(0)
            if body.startswith("static inline"):
                comment = ""
            elif match.group(2):
                getattr(self, "_" + match.group(2))(match.group(3), body, comment)
                comment = ""
            else:
                pending = self._declaration(body, comment)
                comment = ""

    def _declaration(self, body, comment):
        plain = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        function = re.fullmatch(r"ASH_API\s+(.*?)\b(ash_\w+)\((.*)\);", plain, re.S)
        self.cdef.append(plain.replace("ASH_API", ""))
        if not function:
            return None
        result, name, arguments = (" ".join(part.split()) for part in function.groups())
        made = {"name": name, "result": result.replace("const ", "").strip(), "doc": comment,
                "arguments": [] if arguments == "void" else [argument(part) for part in split(arguments)]}
        self.functions[name] = made
        return made

    def _struct(self, name, body, comment):
        plain = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        self.cdef.append(plain)
        inside = body[body.index("{") + 1:body.rindex("}")]
        fields, last = [], None
        for match in re.finditer(r"/\*(.*?)\*/|([^;/]+);", inside, re.S):
            if match.group(1) is not None:
                if last and "\n" not in inside[last_end:match.start()]:
                    for field in last:
                        field["doc"] = clean(match.group(1))
                continue
            last, last_end = members(" ".join(match.group(2).split())), match.end()
            fields += last
        self.structs[name] = {"name": name, "doc": comment, "fields": fields}

    def _enum(self, name, body, comment):
        plain = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        self.cdef.append(plain)
        inside = plain[plain.index("{") + 1:plain.rindex("}")]
        names = [part.split("=")[0].strip() for part in inside.split(",") if part.strip()]
        valued = "=" in inside.split(",")[-1]
        docs = dict(re.findall(r"\b(ASH_\w+)[^,\n/]*,? */\* *(.*?) *\*/", body))
        self.enums[name] = {"name": name, "doc": comment, "words": enum_words(name, names, valued), "names": names,
                            "docs": docs}


def clean(comment):
    """The words of a comment on one line."""
    return " ".join(re.sub(r"^\s*\*", "", comment, flags=re.M).split())


def split(arguments):
    """Arguments between the commas that are not in parentheses."""
    parts, depth, part = [], 0, ""
    for letter in arguments:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    return parts + [part.strip()]


def argument(text):
    """(type, name, constant), a pointer's star being part of the type."""
    callback = re.fullmatch(r"(.*)\(\*(\w+)\)(\(.*\))", text)
    if callback:
        return "callback", callback.group(2), False
    type_, stars, name, array = re.fullmatch(r"(.*?)\s*(\**)(\w+)(\[\w*\])?", text).groups()
    return (type_ + (" " + stars if stars else "") + (" *" if array else "")).replace("const ", ""), name, "const" in type_


def members(text):
    """The fields of one declaration in a structure."""
    if "(" in text:
        return [{"type": "callback", "name": re.search(r"\(\*(\w+)\)", text).group(1), "doc": "", "array": None}]
    type_, names = re.fullmatch(r"((?:const )?(?:struct |enum )?\w+)\s*(.*)", text).groups()
    found = []
    for name in names.split(","):
        stars, word, array = re.fullmatch(r"\s*(\**(?:const )?\**)(\w+)(?:\[(\w+)\])?", name).groups()
        found.append({"type": type_.replace("const ", "") + (" *" * stars.count("*")), "name": word, "doc": "",
                      "array": array})
    return found


def enum_words(name, names, valued):
    """Words for the values, as scene files have them: ASH_BODY_DYNAMIC is "dynamic". The count at the end is none."""
    kept = names[:-1] if names[-1].endswith("S") and not valued and name != "ash_status" and len(names) > 2 else names
    prefix = os.path.commonprefix(kept)
    prefix = prefix[:prefix.rindex("_") + 1]
    return [word[len(prefix):].lower().replace("_", "-") for word in kept]
