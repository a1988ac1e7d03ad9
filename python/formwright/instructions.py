"""placeholder"""


def instruction_of(form):
    return ""
