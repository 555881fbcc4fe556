# From the sample configuration to pricewatch.yaml(5): comments become text, options stand as they are.
BEGIN {
    print ".\\\" Made from etc/pricewatch.yaml."
    printf ".TH PRICEWATCH.YAML 5 \"%s\" \"pricewatch %s\" \"File formats\"\n", date, version
    print ".SH NAME\npricewatch.yaml \\- the configuration of pricewatch\n.SH DESCRIPTION"
    print "What follows is the sample file with every option, its default and what it means."
    print ".nf"
}
{
    gsub(/\\/, "\\e")
    gsub(/-/, "\\-")
    gsub(/'/, "\\(aq")
    gsub(/`/, "\\(ga")
    gsub(/…/, "...")
    gsub(/×/, "x")
    if ($0 ~ /^[.]/) $0 = "\\&" $0
}
# A heading stands between two rules.
/^# (\\-)+$/ { rule = !rule; next }
rule { heading = substr($0, 3); print ".fi\n.SH \"" toupper(heading) "\"\n.nf"; next }
{ print }
END { print ".fi\n.SH SEE ALSO\n.BR pricewatch (1)" }
