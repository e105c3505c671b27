"""`make versions`: the wheel on each Python that it is declared for, with the newest and the oldest packages it allows.

The tests in `suite` run in these environments, on the installed package. All other code here needs only the standard library.
"""
